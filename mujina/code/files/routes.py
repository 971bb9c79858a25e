"""Trees, files and archives of a project's repository."""

from collections.abc import Mapping
from typing import Literal

from mujina.code.commits import operations as commits
from mujina.code.commits.actions import decode
from mujina.code.commits.operations import Action, ResolvedCommit
from mujina.code.files import operations
from mujina.code.files.archives.operations import ARCHIVE_FORMATS, ArchivePart
from mujina.code.files.downloads import SAFE, archive
from mujina.code.files.entities import File, FileCommit, RawBlob, file_headers, shown_blob, shown_file
from mujina.code.files.operations import Entry
from mujina.code.files.params import DeleteFile, DownloadArchive, ListTree, ReadFile, WriteFile
from mujina.code.pushes.repository_lock import with_repository_lock
from mujina.kernel import errors
from mujina.kernel.http.dispatcher import Call, JsonResponse, Response
from mujina.kernel.http.paging import KeysetPaged, Page, Paged
from mujina.kernel.http.params import UNSET, Ref
from mujina.kernel.http.routing import Segment, delete, get, post, put
from mujina.kernel.permissions.scopes import FETCH

NO_HEADERS: Mapping[str, str] = {}


@get("/projects/:id/repository/tree", anonymous=True)
async def list_tree(call: Call, id: Ref, query: ListTree, page: Page) -> Paged[Entry]:
    """List the files and directories of a repository."""
    project, code = await commits.find_code(call.services, call.actor, id)
    if project.default_branch is None and not query.ref:
        return page.of([], 0)
    found = commits.find(code, query.ref or None, "Tree")
    path, recursive = query.path or "", bool(query.recursive)
    whole = query.pagination == "none" and recursive
    if (query.pagination == "keyset" or whole) and (
        entries := await operations.whole_tree(found, path, recursive=recursive)
    ) is not None:
        token = query.page_token or ""
        shown, further = (entries, None) if whole else operations.entries_after(entries, token, page.size)
        return KeysetPaged(shown, 0, page, {"page_token": further} if further else None)
    return page.of(*await operations.tree(found, path, recursive=recursive, **page.bound))


@get("/projects/:id/repository/blobs/:sha", anonymous=True)
async def show_blob(call: Call, id: Ref, sha: Segment) -> RawBlob:
    _, code = await commits.find_code(call.services, call.actor, id)
    return shown_blob(operations.blob_by_id(ResolvedCommit(code, sha, sha), sha))


@get("/projects/:id/repository/blobs/:sha/raw", anonymous=True)
async def read_blob(call: Call, id: Ref, sha: Segment) -> Response:
    _, code = await commits.find_code(call.services, call.actor, id)
    return _raw(code, operations.blob_by_id(ResolvedCommit(code, sha, sha), sha))


@get("/projects/:id/repository/files/:file_path", anonymous=True, scopes=FETCH)
async def show_file(call: Call, id: Ref, file_path: Segment, query: ReadFile) -> JsonResponse[File] | Response:
    _, code = await commits.find_code(call.services, call.actor, id)
    found = commits.find(code, query.ref or None)
    file = operations.blob(found, file_path)
    last_commit_id = await operations.last_commit_of(found, file_path)
    headers = file_headers(file, found, last_commit_id)
    if file.data is None and call.request.method == "HEAD":
        return Response(headers=headers)
    return JsonResponse[File](shown_file(file, found, last_commit_id), headers=headers)


@get("/projects/:id/repository/files/:file_path/raw", anonymous=True, scopes=FETCH)
async def read_file(call: Call, id: Ref, file_path: Segment, query: ReadFile) -> Response:
    _, code = await commits.find_code(call.services, call.actor, id)
    found = commits.find(code, query.ref or None)
    file = operations.blob(found, file_path)
    return _raw(code, file, file_headers(file, found, await operations.last_commit_of(found, file_path)))


@post("/projects/:id/repository/files/:file_path")
@with_repository_lock
async def create_file(call: Call, id: Ref, file_path: Segment, change: WriteFile) -> FileCommit:
    return await _commit(call, id, "create", file_path, change)


@put("/projects/:id/repository/files/:file_path")
@with_repository_lock
async def update_file(call: Call, id: Ref, file_path: Segment, change: WriteFile) -> FileCommit:
    return await _commit(call, id, "update", file_path, change)


@delete("/projects/:id/repository/files/:file_path")
@with_repository_lock
async def delete_file(call: Call, id: Ref, file_path: Segment, change: DeleteFile) -> None:
    await _commit(call, id, "delete", file_path, change)


@get("/projects/:id/repository/archive", anonymous=True)
async def download_archive(call: Call, id: Ref, query: DownloadArchive) -> Response:
    """Download an archive of a repository."""
    return await _archive(call, id, "tar.gz", query)


@get("/projects/:id/repository/:archive", anonymous=True)
async def download_archive_as(call: Call, id: Ref, archive: Segment, query: DownloadArchive) -> Response:
    """Download an archive of a repository, in the format that the path names."""
    name, _, suffix = archive.partition(".")
    if name != "archive" or suffix not in ARCHIVE_FORMATS:
        raise errors.unknown_route()
    return await _archive(call, id, suffix, query)


async def _archive(call: Call, id: Ref, suffix: str, query: DownloadArchive) -> Response:
    project, code = await commits.find_code(call.services, call.actor, id)
    part = ArchivePart(query.path or "", query.exclude_paths or [])
    found = commits.find(code, query.sha or None, "File")
    with_objects = query.include_lfs_blobs is not False
    return await archive(call.services, project, found, suffix, part, lfs_objects=with_objects)


def _raw(code: commits.Repository, blob: operations.Blob, headers: Mapping[str, str] = NO_HEADERS) -> Response:
    body = operations.pieces(code, blob) if blob.data is None else blob.data
    return Response(body, content_type="text/plain", headers={**SAFE, **headers})


Verb = Literal["create", "update", "delete"]


async def _commit(call: Call, id: Ref, verb: Verb, path: str, change: WriteFile | DeleteFile) -> FileCommit:
    """Change one file by one commit."""
    committer = await commits.committer_for(call.services, call.actor, id)
    branch = commits.target_branch(committer, change.branch, change.start_branch or "")
    content, executable = None, None
    if isinstance(change, WriteFile):
        content = decode(change.content, change.encoding)
        executable = None if change.execute_filemode is UNSET else change.execute_filemode
    action = Action(verb, path, content, last_commit_id=change.last_commit_id or "", executable=executable)
    names = {"author_name": change.author_name or "", "author_email": change.author_email or ""}
    await commits.commit(branch, [action], change.commit_message, **names)
    return FileCommit(operations.tree_path(path), change.branch)
