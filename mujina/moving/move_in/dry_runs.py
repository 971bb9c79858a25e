"""A dry run: what is at the source, who wrote it, what would not fit and why, and the time and the space that the move needs."""

import asyncio
import shutil
from collections.abc import AsyncIterable, Iterable, Sequence
from contextlib import aclosing, suppress
from functools import partial
from typing import Final

from mujina.accounts.emails.operations import normalize
from mujina.kernel.services import Services
from mujina.kernel.text.folding import fold
from mujina.moving.move_in.content.details import ahead
from mujina.moving.move_in.people import find_by_address
from mujina.moving.move_in.places import PlacementError, place_group, place_project
from mujina.moving.move_in.plans import MovePlan
from mujina.moving.move_in.report import MoveEstimate, MoveReport
from mujina.moving.move_in.runs import Progress, collect
from mujina.moving.sources.forge import Forge
from mujina.moving.sources.operations import AT_ONCE, SourceError
from mujina.moving.sources.records import (
    GroupRecord,
    SourceDiscussion,
    SourceMergeRequest,
    SourcePerson,
    SourceProject,
    SourceWork,
)
from mujina.planning.issues.operations import MAX_DESCRIPTION_LENGTH

COUNTED: Final = ("labels", "milestones", "issues", "merge_requests", "releases", "hooks", "members")
"""The lists of a project that are counted by their own totals."""
REQUESTS: Final = {"issues": 3, "epics": 3, "merge_requests": 5, "notes": 1, "packages": 3}
"""Requests for what an object has: comments, reactions, links; for a merge request also details, versions, approvals."""
WRITE_SECONDS: Final = 0.001
"""For a row and what belongs to it."""
FETCH_BYTES: Final = 5_000_000
"""Bytes of repositories and files in a second."""
ROW_BYTES: Final = 1_500
"""The size of an object in the database without its text, which is stored twice: as it is, and for searches."""


class _Undone(Exception):
    """Ends a transaction of which nothing is kept."""


async def people_of_project(
    services: Services, source: Forge, project: SourceProject, *, match: bool
) -> list[tuple[SourcePerson, str | None]]:
    """Everybody who would come with the project; with `match`, each with the user who has confirmed their address."""
    dry_run = MoveDryRun(services, source, "", MoveReport(source.address, dry_run=True))
    await dry_run.count(MovePlan(projects=[(project, project.path_with_namespace)]), _ignore)
    users = await dry_run.match_people() if match else {}
    return [(person, users.get(person.username)) for person in dry_run.people]


def _ignore(*_progress: object) -> None:
    """The progress is not shown."""


class MoveDryRun:
    """Reads the source, and writes nothing."""

    def __init__(self, services: Services, source: Forge, key: str, report: MoveReport) -> None:
        self._services, self._source, self._key, self._report = services, source, key, report
        self._people = dict[int, SourcePerson]()
        self._estimate = MoveEstimate()
        self._text_bytes = 0
        self._moved = set[int]()
        """The ids of the projects that are moved."""

    @property
    def people(self) -> list[SourcePerson]:
        """The authors of everything that was counted, members, and all others who would come with it."""
        return list(self._people.values())

    async def count(self, plan: MovePlan, progress: Progress) -> None:
        """Count everything of the plan."""
        self._report.found["groups"] += len(plan.groups)
        self._report.found["projects"] += len(plan.projects)
        self._moved = {project.id for project, _ in plan.projects}
        for group, _ in plan.groups:
            await self._count_epics(group)
        for done, (project, _) in enumerate(plan.projects, 1):
            await self._count_project(project)
            progress("projects", done, len(plan.projects))
        self._finish()

    async def match_people(self) -> dict[str, str | None]:
        """The map of people: username at the source → who has confirmed that address here."""
        mapped = {person.username: await self._match(person) for person in self._people.values()}
        return dict(sorted(mapped.items()))

    async def try_places(self, plan: MovePlan) -> None:
        """List the groups and projects that could not be created here."""
        attempt = MoveReport(self._report.source, dry_run=True)
        with suppress(_Undone):
            async with self._services.database.transaction() as tx:
                for group, path in plan.groups:
                    try:
                        await place_group(tx, self._key, group, path, attempt)
                    except PlacementError as error:
                        self._report.problem(f"{self._source.address}/{group.full_path}", str(error))
                for project, path in plan.projects:
                    try:
                        await place_project(tx, self._services.vault, self._key, project, path, attempt)
                    except PlacementError as error:
                        self._report.problem(self._source.page_of(project, ""), str(error))
                raise _Undone

    async def _count_epics(self, group: GroupRecord) -> None:
        for epic in await collect(self._source.epics(group.id)):
            self._report.found["epics"] += 1
            self._meet([epic.author])
            address = f"{self._source.address}/groups/{group.full_path}/-/epics/{epic.iid}"
            self._measure(address, epic.description or "")
            self._read_notes(address, await collect(self._source.epic_discussions(group.id, epic.id)))

    async def _count_project(self, project: SourceProject) -> None:
        counts = await asyncio.gather(*(self._source.count(project.id, noun) for noun in COUNTED))
        for noun, count in zip(COUNTED, counts, strict=True):
            self._report.found[noun] += count or 0
        self._meet(await collect(self._source.members("projects", project.id)))
        await self._read(project, "issues", self._source.issues(project.id))
        await self._read(project, "merge_requests", self._source.merge_requests(project.id))
        async for packages in self._source.packages(project.id):
            self._report.found["packages"] += len(packages)
        await self._weigh(project)

    async def _read(self, project: SourceProject, noun: str, pages: AsyncIterable[Sequence[SourceWork]]) -> None:
        """Note the people and the texts of the issues or merge requests, and of everything that was said about them."""
        async for page in pages:
            async with aclosing(ahead(page, partial(self._discussions, project, noun))) as asked:
                async for work, discussions in asked:
                    address = self._source.page_of(project, f"/-/{noun}/{work.iid}")
                    self._meet([work.author, *work.assignees])
                    self._measure(address, work.description or "")
                    if isinstance(work, SourceMergeRequest):
                        self._meet([*work.reviewers, work.merged_by, work.closed_by])
                        self._check_source_project(address, work)
                    self._read_notes(address, discussions)

    def _read_notes(self, address: str, discussions: Iterable[SourceDiscussion]) -> None:
        for note in [note for each in discussions for note in each.notes]:
            self._report.found["notes"] += not note.system
            self._meet([note.author, note.resolved_by])
            self._measure(f"{address}#note_{note.id}", note.body)

    async def _discussions(self, project: SourceProject, noun: str, work: SourceWork) -> list[SourceDiscussion]:
        return await collect(self._source.discussions(project.id, noun, work.iid))

    def _meet(self, people: Sequence[SourcePerson | None]) -> None:
        self._people |= {person.id: person for person in people if person}

    def _measure(self, address: str, text: str) -> None:
        self._text_bytes += len(text.encode())
        if len(text) > MAX_DESCRIPTION_LENGTH:
            self._report.problem(address, f"Its text is longer than {MAX_DESCRIPTION_LENGTH} characters.")

    def _check_source_project(self, address: str, request: SourceMergeRequest) -> None:
        if request.state == "opened" and request.source_project_id not in self._moved:
            self._report.problem(address, "It will be closed here: its source project is not moved.")

    async def _weigh(self, project: SourceProject) -> None:
        sizes = await self._source.sizes(project)
        max_bytes = self._services.settings.max_push_megabytes << 20
        if sizes is None:
            self._estimate.unknown_sizes += 1
        else:
            self._estimate.file_bytes += sizes.total
            if sizes.repository_size > max_bytes:
                reason = f"It is larger than max_push_megabytes allows: {max_bytes} bytes."
                self._report.problem(self._source.page_of(project, ".git"), reason)

    def _finish(self) -> None:
        """Work out the estimate, and list a disk that is too small."""
        found, estimate = self._report.found, self._estimate
        estimate.requests = sum(found[noun] * times for noun, times in REQUESTS.items())
        objects = sum(found.values())
        estimate.database_bytes = objects * ROW_BYTES + 2 * self._text_bytes
        waiting = estimate.requests * self._source.seconds_of_answer / AT_ONCE
        estimate.seconds = round(waiting + objects * WRITE_SECONDS + estimate.file_bytes / FETCH_BYTES)
        self._report.estimate = estimate
        free = shutil.disk_usage(self._services.settings.data).free
        if estimate.bytes > free:
            reason = f"The move needs about {estimate.bytes} bytes, and the disk has {free} bytes left."
            self._report.problem(self._source.address, reason)

    async def _match(self, person: SourcePerson) -> str | None:
        """The user here who has confirmed an address of this person; the source tells addresses to administrators only."""
        try:
            known = await self._source.person(person.id)
        except SourceError as error:
            self._report.problem(error.address, error.reason)
            return None
        for address in (known.email, known.public_email):
            if address:
                async with self._services.database.reading() as tx:
                    if username := await find_by_address(tx, fold(normalize(address))):
                        return username
        return None
