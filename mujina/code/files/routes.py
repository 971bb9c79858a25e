"""Trees, files and archives of a project's repository."""

from typing import Literal
from urllib.parse import quote

from mujina.code.commits import operations as commits
from mujina.code.commits.actions import decode
from mujina.code.commits.operations import Action, Found, InvalidAction
from mujina.code.files import operations
from mujina.code.files.entities import Written, shown_blob, shown_file
from mujina.code.files.operations import ARCHIVES
from mujina.code.files.params import Archive, DeleteFile, ListTree, ReadFile, ShowFile, WriteFile
from mujina.code.pushes.operations import move_refs
from mujina.code.pushes.repository_lock import with_repository_lock
from mujina.kernel import errors
from mujina.kernel.http import Call, Json, Response
from mujina.kernel.paging import Page
from mujina.kernel.params import Ref
from mujina.kernel.routing import Segment, delete, get, post, put
from mujina.workspaces.projects.rules import PUSH_CODE, READ_CODE, ProjectRow, find_project

SAFE = {
    "Content-Disposition": "attachment",
    "Content-Security-Policy": "default-src 'none'; sandbox",
}
"""What a repository holds is somebody's bytes: a browser shows none of it as a page of ours."""


@get("/projects/:id/repository/tree", anonymous=True)
async def list_tree(call: Call, id: Ref, query: ListTree, page: Page) -> Json:
    project, code = await _readable(call, id)
    if project.default_branch is None and not query.ref:
        return page.of([], 0)
    found = commits.find(code, query.ref or None, "Tree")
    entries = await operations.tree(found, query.path or "", recursive=bool(query.recursive), **page.bound)
    return page.of(*entries)


@get("/projects/:id/repository/blobs/:sha", anonymous=True)
async def show_blob(call: Call, id: Ref, sha: Segment) -> Json:
    _, code = await _readable(call, id)
    return shown_blob(operations.blob_by_id(Found(code, sha, sha), sha))


@get("/projects/:id/repository/blobs/:sha/raw", anonymous=True)
async def read_blob(call: Call, id: Ref, sha: Segment) -> Json:
    _, code = await _readable(call, id)
    return _raw(code, operations.blob_by_id(Found(code, sha, sha), sha))


@get("/projects/:id/repository/files/:file_path", anonymous=True)
async def show_file(call: Call, id: Ref, file_path: Segment, query: ShowFile) -> Json:
    _, code = await _readable(call, id)
    found = commits.find(code, query.ref)
    file = operations.blob(found, file_path)
    return shown_file(file, found, await operations.last_commit_of(found, file_path))


@get("/projects/:id/repository/files/:file_path/raw", anonymous=True)
async def read_file(call: Call, id: Ref, file_path: Segment, query: ReadFile) -> Json:
    _, code = await _readable(call, id)
    file = operations.blob(commits.find(code, query.ref or None), file_path)
    return _raw(code, file)


@post("/projects/:id/repository/files/:file_path")
@with_repository_lock
async def create_file(call: Call, id: Ref, file_path: Segment, change: WriteFile) -> Json:
    return await _write(call, id, "create", file_path, change)


@put("/projects/:id/repository/files/:file_path")
@with_repository_lock
async def update_file(call: Call, id: Ref, file_path: Segment, change: WriteFile) -> Json:
    return await _write(call, id, "update", file_path, change)


@delete("/projects/:id/repository/files/:file_path")
@with_repository_lock
async def delete_file(call: Call, id: Ref, file_path: Segment, change: DeleteFile) -> Json:
    await _write(call, id, "delete", file_path, change)


@get("/projects/:id/repository/archive", anonymous=True)
async def download_archive(call: Call, id: Ref, query: Archive) -> Json:
    return await _archive(call, id, "tar.gz", query)


@get("/projects/:id/repository/:archive", anonymous=True)
async def download_archive_as(call: Call, id: Ref, archive: Segment, query: Archive) -> Json:
    name, _, suffix = archive.partition(".")
    if name != "archive" or suffix not in ARCHIVES:
        raise errors.unknown_route()
    return await _archive(call, id, suffix, query)


async def _archive(call: Call, id: Ref, suffix: str, query: Archive) -> Response:
    project, code = await _readable(call, id)
    found = commits.find(code, query.sha or None, "File")
    await commits.check_tree(found)
    form = ARCHIVES[suffix]
    called = "-".join([project.path, found.name.replace("/", "-"), found.id])
    pieces = operations.archive(found, form, called)
    plain = "".join(
        letter if letter.isascii() and letter.isprintable() and letter not in '"\\' else "_" for letter in called
    )
    name = f"filename=\"{plain}.{form.suffix}\"; filename*=UTF-8''{quote(called)}.{form.suffix}"
    headers = {"Content-Disposition": f"attachment; {name}"}
    return Response(pieces, content_type=form.kind, headers=headers)


def _raw(code: commits.Code, blob: operations.Blob) -> Response:
    return Response(
        operations.pieces(code, blob) if blob.data is None else blob.data, content_type="text/plain", headers=SAFE
    )


async def _readable(call: Call, id: Ref) -> tuple[ProjectRow, commits.Code]:
    async with call.reading() as tx:
        project = await find_project(tx, call.actor, id, to=READ_CODE)
    return project, await commits.code_of(call.services, project)


Verb = Literal["create", "update", "delete"]


async def _write(call: Call, id: Ref, verb: Verb, path: str, change: WriteFile | DeleteFile) -> Written:
    """One file of one commit, moved onto the branch like any push."""
    async with call.reading() as tx:
        project = await find_project(tx, call.actor, id, to=PUSH_CODE)
        author, committer = await commits.signers(tx, call.actor, change.author_name or "", change.author_email or "")
    code = await commits.code_of(call.services, project)
    start = commits.start_of(code, change.branch, change.start_branch or "")
    content = decode(change.content, change.encoding) if isinstance(change, WriteFile) else None
    action = Action(verb, path, content, last_commit_id=change.last_commit_id or "")
    try:
        commit_id = await commits.write(code, start.parent, [action], change.commit_message, author, committer)
    except InvalidAction as unfit:
        raise errors.bad_request(str(unfit)) from None
    await move_refs(call.services, call.actor, project.id, [start.to(commit_id)])
    return Written(operations.tree_path(path), change.branch)
