"""Moving groups and projects from a source to this instance; a run that ends early is continued by the next one."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing, asynccontextmanager
from typing import Final

import msgspec

from mujina.kernel.services import Services
from mujina.moving.move_in import plans
from mujina.moving.move_in.content.avatars import move_avatar
from mujina.moving.move_in.content.epics import move_epics
from mujina.moving.move_in.content.feed import move_pushes
from mujina.moving.move_in.content.issues import move_issues
from mujina.moving.move_in.content.labels import move_boards, move_labels, move_milestones
from mujina.moving.move_in.content.merge_requests import move_merge_requests
from mujina.moving.move_in.content.settings import move_settings, move_variables
from mujina.moving.move_in.content.snippets import move_snippets
from mujina.moving.move_in.dry_runs import MoveDryRun
from mujina.moving.move_in.lfs.operations import move_lfs_objects
from mujina.moving.move_in.packages.operations import move_packages
from mujina.moving.move_in.people import People, SourcePeople, find_users
from mujina.moving.move_in.places import PlacementError, add_members, place_group, place_project
from mujina.moving.move_in.plans import MovePlan
from mujina.moving.move_in.report import MoveReport
from mujina.moving.move_in.repositories.operations import move_repository, move_wiki
from mujina.moving.move_in.runs import MoveRun, Progress, ProjectRun, collect
from mujina.moving.move_in.texts import Texts
from mujina.moving.sources.archive import SINGLE_IMPORT_PREFIX, Archive
from mujina.moving.sources.detection import SourceKind, open_source
from mujina.moving.sources.forge import Forge
from mujina.moving.sources.opening import source_of
from mujina.moving.sources.operations import SourceFailure, SourceUnavailable
from mujina.moving.sources.records import GroupRecord, SourceProject
from mujina.workspaces.members.rules import Source
from mujina.workspaces.owners.rules import Owner

NO_PATHS: Final[Mapping[str, str]] = {}


class MoveRequest(msgspec.Struct, frozen=True):
    """What is moved: a group, a project, or everything that the token's user is a member of."""

    source: str
    token: str
    group: str | None = None
    project: str | None = None
    into: str | None = None
    """The path of a group here; None: the path that it has at the source."""
    archive: Archive | None = None
    """What is read instead of a server."""
    kind: SourceKind | None = None
    """None: the source is asked what it is."""
    project_id: int | None = None
    """The project here that `project` fills: nothing else here is created or changed, and no one gets access by it."""
    people: str = ""
    """What runs have in common that share their imported names; empty: the source, or the project that is filled."""
    beside: Mapping[str, str] = NO_PATHS
    """Projects to which texts may refer, though this run does not move them: path at the source → path here."""

    @property
    def key(self) -> str:
        """What came is known by it. That of a project that is filled alone leads to no row of another one."""
        return self.source if self.project_id is None else f"{SINGLE_IMPORT_PREFIX}{self.project_id}"


class MoveIn:
    """One run: what it finds and does is in its report, which is complete unless the source stopped answering."""

    _source: Forge

    def __init__(self, services: Services, request: MoveRequest, progress: Progress, *, dry_run: bool = False) -> None:
        self._services, self._request, self._progress = services, request, progress
        self.report = MoveReport(request.source, dry_run=dry_run)

    async def count(self) -> dict[str, str | None]:
        """Count what would be moved. The map of people: username at the source → who has confirmed that address here."""
        async with self._reporting(), self._opened() as plan:
            dry_run = MoveDryRun(self._services, self._source, self._request.key, self.report)
            if self._request.project_id is None:
                await dry_run.try_places(plan)
            await dry_run.count(plan, self._progress)
            return await dry_run.match_people()
        return {}

    async def move(self, people: People) -> None:
        """Bring what is not here yet; who is not in the map of people becomes an imported name."""
        wanted = self._request
        async with self._services.database.reading() as tx:
            users = await find_users(tx, people)
        async with self._reporting(), self._opened() as plan:
            names = {login: name for login, name in people.items() if name}
            run = MoveRun(
                services=self._services, source=self._source, key=wanted.key, report=self.report, token=wanted.token,
                people=SourcePeople(wanted.people or wanted.key, users, self.report, trusted=wanted.project_id is None),
                texts=Texts(self._source.origin, self._services.settings.url, {**wanted.beside, **plan.paths}, names),
                project_id=wanted.project_id,
            )  # fmt: skip
            for group, path in plan.groups:
                await _move_group(run, group, path)
            for done, (project, path) in enumerate(plan.projects):
                self._progress("projects", done, len(plan.projects))
                await _move_project(run, project, path)
            for group, _ in plan.groups:
                await move_epics(run, group)
            self._progress("projects", len(plan.projects), len(plan.projects))

    @asynccontextmanager
    async def _reporting(self) -> AsyncGenerator[None]:
        """If the source stops answering, or lacks what is to be moved, the report says so, and the run ends."""
        try:
            yield
            self.report.complete = True
        except SourceFailure as error:
            self.report.unavailable = isinstance(error, SourceUnavailable)
            self.report.problem(error.address, error.reason)

    @asynccontextmanager
    async def _opened(self) -> AsyncGenerator[MovePlan]:
        """What is moved, from the source, which is open meanwhile."""
        self._source = await self._open()
        async with aclosing(self._source):
            yield await self._plan()

    async def _open(self) -> Forge:
        wanted = self._request
        if wanted.archive is not None:
            self.report.archive = wanted.archive.kind
            return source_of(wanted.archive, self.report.problem)
        allow = self._services.settings.outbound_allow
        return await open_source(allow, wanted.source, wanted.token, self.report.problem, wanted.kind)

    async def _plan(self) -> MovePlan:
        wanted = self._request
        if wanted.project is not None:
            return await plans.plan_project(self._source, wanted.project, wanted.into)
        if wanted.group is not None:
            return await plans.plan_group(self._source, wanted.group, wanted.into, self.report)
        return await plans.plan_all(self._source, wanted.into)


async def _move_group(run: MoveRun, group: GroupRecord, path: str) -> None:
    members = await collect(run.source.members("groups", group.id))
    try:
        async with run.services.database.transaction() as tx:
            group_id = await place_group(tx, run.key, group, path, run.report)
            await add_members(tx, run.people, Source("group", group_id), members, run.report)
    except PlacementError as error:
        run.report.problem(f"{run.source.address}/{group.full_path}", str(error))
        return
    owner = Owner("group", group_id, group_id)
    await move_labels(run, owner, group.id)
    await move_milestones(run, owner, group.id)
    await move_variables(run, owner, group.id, f"{run.source.address}/groups/{group.full_path}")
    await move_avatar(run, owner, group.id, group.avatar_url)


async def _place_project(run: MoveRun, project: SourceProject, path: str) -> tuple[int, int]:
    """The ids of the project here and of its namespace, once its members are in it."""
    members = await collect(run.source.members("projects", project.id)) if run.project_id is None else []
    async with run.services.database.transaction() as tx:
        project_id = run.project_id
        if project_id is None:
            project_id = await place_project(tx, run.services.vault, run.key, project, path, run.report)
            await add_members(tx, run.people, Source("project", project_id), members, run.report)
        return project_id, await tx.value("SELECT p.namespace_id FROM projects p WHERE p.id = :id", id=project_id)


async def _move_project(run: MoveRun, project: SourceProject, path: str) -> None:
    try:
        project_id, namespace_id = await _place_project(run, project, path)
    except PlacementError as error:
        run.report.problem(run.address_of(project), str(error))
        return
    owner, target = Owner("project", project_id, namespace_id), ProjectRun(run, project_id, {}, project=project)
    await move_labels(run, owner, project.id)
    await move_milestones(run, owner, project.id)
    has_code = await move_repository(target)
    if has_code:
        await move_lfs_objects(target)
        await move_pushes(target)
    await move_wiki(target)
    await move_issues(target)
    if has_code:
        await move_merge_requests(target)
    await move_boards(target)
    await move_snippets(target)
    await move_settings(target)
    await move_packages(target)
    await move_avatar(run, owner, project.id, project.avatar_url)
