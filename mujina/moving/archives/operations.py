"""Archives of projects and groups: what a source of this instance's own API gives, with repositories and files."""

from collections.abc import AsyncGenerator, AsyncIterable, Callable, Collection
from contextlib import aclosing
from functools import partial
from pathlib import Path
from typing import IO, Final, TypeVar
from urllib.parse import quote, urlencode, urlsplit

import msgspec

from mujina.adapters.git import git
from mujina.adapters.git import refs as git_refs
from mujina.adapters.git.transport.copying import EMPTY_BUNDLE
from mujina.code.pushes.changes import BRANCHES, TAGS
from mujina.code.pushes.repo_paths import find_repo_path, find_storage
from mujina.kernel import clock, errors
from mujina.kernel.http.api import Api
from mujina.kernel.http.applications import ask_application
from mujina.kernel.http.dispatcher import Credentials, Dispatcher
from mujina.kernel.http.routing import routes_of
from mujina.kernel.permissions.actor import SYSTEM, Actor
from mujina.kernel.services import Services
from mujina.kernel.storage.files import one_piece
from mujina.moving.archives.scratch import scratch_folder
from mujina.moving.archives.writing import ArchiveManifest, ArchiveWriter
from mujina.moving.move_in.runs import collect
from mujina.moving.sources.api_v4 import ApiV4, snippet_path
from mujina.moving.sources.forge import ReportProblem
from mujina.moving.sources.operations import EMPTY, MAX_PAGE_BYTES, Query, SourceAnswer, SourceClient, SourceError
from mujina.moving.sources.packages import Manifests, SourcePackage, SourcePackument, content_path, index_path
from mujina.moving.sources.records import (
    GroupRecord,
    SourceApproval,
    SourceApprovals,
    SourceAward,
    SourceDiscussion,
    SourceProject,
)
from mujina.planning.uploads.rules import key_of
from mujina.workspaces.groups import avatars as group_avatars
from mujina.workspaces.projects import avatars as project_avatars
from mujina.workspaces.projects.removing.deleted_meanwhile import removed_meanwhile

Record = TypeVar("Record", bound=msgspec.Struct)
READER: Final = msgspec.structs.replace(SYSTEM, id=-1)
"""An actor who reads everything and is no user."""
_REFS: Final = (BRANCHES, TAGS, "refs/merge-requests/", "refs/keep-around/")
API: Final = "/api/v4"


class OwnDocuments(SourceClient):
    """The documents of this instance, as its API gives them to a user who may read everything."""

    def __init__(self, services: Services) -> None:
        super().__init__((), services.settings.url, {})
        self._api = Api(Dispatcher(services, _read_as, removed_meanwhile), routes_of(services.product))

    async def get(self, path: str, query: Query = EMPTY, *, max_bytes: int = MAX_PAGE_BYTES) -> SourceAnswer:  # noqa: ARG002 - our own lists are bounded
        parts = urlsplit(self.address)
        host = [(b"host", parts.netloc.encode())]
        status, sent, body = await ask_application(self._api, "GET", path, urlencode(query), host, scheme=parts.scheme)
        if status != 200:
            raise SourceError(f"{self.address}{path}", f"It answered with status {status}.", status)
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in sent}
        return SourceAnswer(200, headers, body, truncated=False)


class RecordingSource(ApiV4):
    """Reads this instance, and writes every record to an archive: only the fields that records have, so no secret."""

    def __init__(self, services: Services, writer: ArchiveWriter, problem: ReportProblem) -> None:
        super().__init__(OwnDocuments(services), problem)
        self._writer = writer

    async def project(self, path: str) -> SourceProject:
        found = await super().project(path)
        await self._writer.document(f"{API}/projects/{quote(path, safe='')}", found)
        return found

    async def group(self, path: str) -> GroupRecord:
        found = await super().group(path)
        await self._writer.document(f"{API}/groups/{quote(path, safe='')}", found)
        return found

    async def approvals(self, project_id: int, iid: int) -> list[SourceApproval]:
        found = await super().approvals(project_id, iid)
        if found:
            path = f"{API}/projects/{project_id}/merge_requests/{iid}/approvals"
            await self._writer.document(path, SourceApprovals(found))
        return found

    async def package_manifests(self, project_id: int, package: SourcePackage) -> Manifests:
        found, path = await super().package_manifests(project_id, package), index_path(project_id, package)
        if package.package_type == "npm":
            await self._writer.document(path, SourcePackument(found))
        elif package.package_type == "pypi":
            page = await self._client.get(path)
            await self._writer.file(path, f"packages/{package.id}.html", one_piece(page.body))
        return found

    async def _pages(
        self, shape: type[Record], path: str, query: Query = EMPTY, key: str = "", absent: Collection[int] = (), *,
        long: bool = False,
    ) -> AsyncGenerator[list[Record]]:  # fmt: skip
        async for records in super()._pages(shape, path, query, key, absent, long=long):
            if records:
                await self._writer.document(path, records)
            yield records


class Export(msgspec.Struct, frozen=True):
    """One archive while it is written."""

    services: Services
    writer: ArchiveWriter
    source: RecordingSource
    problem: ReportProblem


async def export_project(services: Services, path: str, output: IO[bytes], problem: ReportProblem) -> None:
    """Write the archive of the project at this path; `SourceError` if there is none."""
    manifest = ArchiveManifest(services.settings.url, clock.now(), project=path)
    writer = ArchiveWriter(output, manifest, scratch_folder(services.settings))
    export = Export(services, writer, RecordingSource(services, writer, problem), problem)
    project = await export.source.project(path)
    if project.namespace.kind == "group":
        await _add_groups_above(export, f"{project.namespace.full_path}/{project.path}")
    await _add_project(export, project)
    await writer.close()


async def export_group(services: Services, path: str, output: IO[bytes], problem: ReportProblem) -> None:
    """Write the archive of the group at this path with everything below it; `SourceError` if there is none."""
    manifest = ArchiveManifest(services.settings.url, clock.now(), group=path)
    writer = ArchiveWriter(output, manifest, scratch_folder(services.settings))
    export = Export(services, writer, RecordingSource(services, writer, problem), problem)
    waiting = [await export.source.group(path)]
    await _add_groups_above(export, waiting[0].full_path)
    while waiting:
        group = waiting.pop()
        await _drain(export.source.members("groups", group.id))
        await _drain(export.source.variables("groups", group.id))
        await _add_planning(export, "groups", group.id)
        await _add_avatar(export, "group", group.id, group.avatar_url)
        async for epics in export.source.epics(group.id):
            for epic in epics:
                await _drain(export.source.epic_issues(group.id, epic.iid))
                discussions = export.source.epic_discussions(group.id, epic.id)
                await _add_discussions(discussions, partial(export.source.epic_awards, group.id, epic.iid))
        async for projects in export.source.projects_of(group.id):
            for project in projects:
                await _add_project(export, project)
        waiting += await collect(export.source.subgroups(group.id))
    await writer.close()


async def _add_groups_above(export: Export, path: str) -> None:
    """The groups above a path, with what issues may have from them."""
    parts = path.split("/")
    for end in range(1, len(parts)):
        group = await export.source.group("/".join(parts[:end]))
        await _add_planning(export, "groups", group.id)
        await _add_avatar(export, "group", group.id, group.avatar_url)


async def _add_planning(export: Export, owner: str, owner_id: int) -> None:
    await _drain(export.source.labels(owner, owner_id))
    await _drain(export.source.milestones(owner, owner_id))


async def _add_project(export: Export, project: SourceProject) -> None:
    source = export.source
    for pages in (
        source.members("projects", project.id), source.boards(project.id), source.releases(project.id),
        source.protected_branches(project.id), source.protected_tags(project.id), source.hooks(project.id),
        source.variables("projects", project.id), source.pushes(project.id),
    ):  # fmt: skip
        await _drain(pages)
    await _add_planning(export, "projects", project.id)
    await _add_work(export, project.id)
    await _add_snippets(export, project.id)
    await _add_repositories(export, project)
    await _add_uploads(export, project.id)
    await _add_lfs_objects(export, project.id)
    await _add_packages(export, project.id)
    await _add_avatar(export, "project", project.id, project.avatar_url)


async def _add_snippets(export: Export, project_id: int) -> None:
    async for snippets in export.source.snippets(project_id):
        for snippet in snippets:
            for place in range(max(1, len(snippet.files))):
                content = await export.source.snippet_file(project_id, snippet, place, MAX_PAGE_BYTES)
                path = snippet_path(project_id, snippet, place)
                await export.writer.file(path, f"snippets/{snippet.id}-{place}", one_piece(content))
            await _add_comments(export, project_id, "snippets", snippet.id)


async def _add_packages(export: Export, project_id: int) -> None:
    """Packages with their files: of several of one name the newest, which is the one that is downloaded."""
    read = set[str]()
    async for packages in export.source.packages(project_id):
        for package in packages:
            if (index := index_path(project_id, package)) not in read:
                read.add(index)
                await export.source.package_manifests(project_id, package)
            files = await collect(export.source.package_files(project_id, package.id))
            newest = {content_path(project_id, package, file): file.id for file in files}
            async with export.services.database.reading() as tx:
                stored = dict(await tx.rows(
                    tuple[int, str], "SELECT f.id, f.file FROM package_files f WHERE f.package_id = :id", id=package.id
                ))  # fmt: skip
            for path, file_id in newest.items():
                if file_id in stored:
                    await _add_stored(export, path, f"packages/{file_id}", stored[file_id])


async def _add_avatar(export: Export, owner: str, owner_id: int, url: str | None) -> None:
    """The image of a group or project, at the path of its address."""
    if not url:
        return
    async with export.services.database.reading() as tx:
        if owner == "group":
            key = next(iter(await group_avatars.keys_of(tx, [owner_id])), None)
        else:
            key = await project_avatars.key_of(tx, owner_id)
    if key is not None:
        await _add_stored(export, urlsplit(url).path, f"avatars/{owner}-{owner_id}", key)


async def _add_work(export: Export, project_id: int) -> None:
    """Issues and merge requests, each with everything about it."""
    source = export.source
    async for issues in source.issues(project_id):
        for issue in issues:
            await _drain(source.links(project_id, issue.iid))
            await _add_comments(export, project_id, "issues", issue.iid)
    async for requests in source.merge_requests(project_id):
        for request in requests:
            await _drain(source.versions(project_id, request.iid))
            await source.approvals(project_id, request.iid)
            await _add_comments(export, project_id, "merge_requests", request.iid)


async def _add_comments(export: Export, project_id: int, noun: str, iid: int) -> None:
    discussions = export.source.discussions(project_id, noun, iid)
    await _add_discussions(discussions, partial(export.source.awards, project_id, noun, iid))


async def _add_discussions(
    discussions: AsyncIterable[list[SourceDiscussion]], awards: Callable[[int | None], AsyncIterable[list[SourceAward]]]
) -> None:
    """The discussions with the reactions; `awards`: those to a note, or to what the notes are on."""
    await _drain(awards(None))
    async for page in discussions:
        for note in [note for each in page for note in each.notes if not note.system]:
            await _drain(awards(note.id))


async def _add_repositories(export: Export, project: SourceProject) -> None:
    services = export.services
    storage = errors.or_not_found(await find_storage(services, project.id), "Project")
    for wiki, folder, suffix in ((False, "repositories", ".git"), (True, "wikis", ".wiki.git")):
        repo_path = await find_repo_path(services, storage, project.id, wiki=wiki)
        if repo_path is not None or not wiki:
            path = f"/{quote(project.path_with_namespace)}{suffix}"
            await export.writer.file(path, f"{folder}/{project.id}.bundle", _bundle(repo_path))


async def _bundle(repo_path: Path | None) -> AsyncGenerator[bytes]:
    """Every branch, tag and merge request, and the commits that are kept for them."""
    if repo_path is None or not await git_refs.read_below(repo_path, *_REFS):
        yield EMPTY_BUNDLE
        return
    globs = [f"--glob={folder}*" for folder in _REFS]
    async with aclosing(git.stream(repo_path, "bundle", "create", "--quiet", "-", *globs)) as pieces:
        async for piece in pieces:
            yield piece


async def _add_uploads(export: Export, project_id: int) -> None:
    """All files of texts."""
    async with export.services.database.reading() as tx:
        uploads = await tx.rows(
            tuple[int, str, str],
            "SELECT f.id, f.secret, f.name FROM uploads f WHERE f.project_id = :id ORDER BY f.id",
            id=project_id,
        )
    for upload_id, secret, name in uploads:
        path = f"{API}/projects/{project_id}/uploads/{secret}/{quote(name, safe='')}"
        await _add_stored(export, path, f"uploads/{upload_id}", key_of(secret))


async def _add_lfs_objects(export: Export, project_id: int) -> None:
    async with export.services.database.reading() as tx:
        objects = await tx.rows(
            tuple[str, str],
            """SELECT o.oid, o.file FROM lfs_objects o JOIN lfs_links k ON k.object_id = o.id
               WHERE k.project_id = :id ORDER BY o.id""",
            id=project_id,
        )
    for oid, file in objects:
        await _add_stored(export, f"/lfs/{oid}", f"lfs/{oid}", file)


async def _add_stored(export: Export, path: str, name: str, key: str) -> None:
    """A file of the storage; one that is lost is listed."""
    try:
        await export.writer.file(path, name, await export.services.files.pieces(key))
    except FileNotFoundError:
        export.problem(f"{export.source.address}{path}", "The file is not in the storage.")


async def _drain(pages: AsyncIterable[object]) -> None:
    """Read everything, so that it is recorded."""
    async for _ in pages:
        pass


async def _read_as(services: Services, credentials: Credentials) -> Actor:  # noqa: ARG001 - every caller reads as READER
    return READER
