"""Pages about files: folders, files, their raw content, and the search for a file."""

from mujina.code.code_owners.operations import owners_of
from mujina.code.commits import operations as commits
from mujina.code.files import operations
from mujina.code.files.archives.operations import ARCHIVE_FORMATS
from mujina.code.files.downloads import archive, raw_file, stored_file
from mujina.code.files.folders import read_folder
from mujina.code.files.operations import Entry
from mujina.code.files.params import FindFile, ReadFile, ShowPlain, SwitchRef
from mujina.code.files.shown_files import read_shown_file
from mujina.code.lfs import operations as lfs
from mujina.code.repositories.browsing import RepositoryLocation, browse, offers_refs, ref_menu
from mujina.kernel import errors
from mujina.kernel.html.pages import HtmlPage, PageRequest, Redirect, download, view
from mujina.kernel.http.dispatcher import Response
from mujina.kernel.http.paging import Page
from mujina.workspaces.projects.rules import PUSH_BRANCH, READ_CODE, ProjectRow

MAX_FOUND = 200
MAX_SEARCHED = 100_000
"""Files of a repository that are searched by name."""


@view("/{project}/tree/{tail:path}", to=READ_CODE, rights={"push": PUSH_BRANCH})
@offers_refs
async def show_tree(request: PageRequest, project: ProjectRow, tail: str, page: Page) -> HtmlPage | Redirect:
    location = await browse(request.services, project, tail)
    if _entry(location).type != "tree":
        return Redirect(location.address("blob"))
    async with request.reading() as tx:
        folder = await read_folder(request.services, tx, request.actor, location, page)
    context = {"location": location, "folder": folder, "refs": ref_menu(location.found.code)}
    return HtmlPage("code/tree.html", context)


@view("/{project}/refs/switch", to=READ_CODE)
async def switch_ref(request: PageRequest, project: ProjectRow, query: SwitchRef) -> Redirect:
    """Shows this page at another branch or tag, or the files of that if it has no such path."""
    location = await browse(request.services, project, query.ref)
    path = operations.tree_path(query.path or "")
    exists = operations.entry_at(location.found, path) is not None
    return Redirect(location.address(query.destination if exists else "tree", path if exists else ""))


@view("/{project}/refs/{tail:path}", to=READ_CODE)
async def show_last_commits(request: PageRequest, project: ProjectRow, tail: str, page: Page) -> HtmlPage | Redirect:
    """The rows of a folder with their newest commits, however long that takes."""
    ref, mark, path = tail.partition("/logs_tree")
    if not mark:
        raise errors.unknown_route()
    location = await browse(request.services, project, ref + path)
    if request.fragment is None:
        return Redirect(location.address("tree"))
    async with request.reading() as tx:
        folder = await read_folder(request.services, tx, request.actor, location, page, wait_seconds=None)
    return HtmlPage("code/files.html", {"location": location, "folder": folder}, fragments=("files",))


@view("/{project}/blob/{tail:path}", to=READ_CODE, rights={"push": PUSH_BRANCH})
@offers_refs
async def show_blob(
    request: PageRequest, project: ProjectRow, tail: str, query: ShowPlain, page: Page
) -> HtmlPage | Redirect:
    location = await browse(request.services, project, tail)
    if _entry(location).type == "tree":
        return Redirect(location.address("tree"))
    async with request.reading() as tx:
        file = await read_shown_file(request.services, tx, request.actor, location, page, plain=bool(query.plain))
    context = {
        "location": location, "file": file, "refs": ref_menu(location.found.code),
        "owners": await owners_of(location.found.code.repo_path, location.found.id, location.path),
    }  # fmt: skip
    return HtmlPage("code/blob.html", context)


@view("/{project}/raw/{tail:path}", to=READ_CODE)
async def show_raw(request: PageRequest, project: ProjectRow, tail: str) -> Response:
    location = await browse(request.services, project, tail)
    blob = operations.blob(location.found, location.path)
    if (pointer := operations.read_pointer(blob)) is not None:
        async with request.reading() as tx:
            stored = await lfs.find(tx, project.id, pointer[0])
        if stored is not None:
            return await stored_file(request.services, stored[0])
    return raw_file(location.found.code, blob)


@view("/{project}/find_file/{tail:path}", to=READ_CODE)
@offers_refs
async def find_file(request: PageRequest, project: ProjectRow, tail: str, query: FindFile) -> HtmlPage:
    location = await browse(request.services, project, tail)
    entries, _ = await operations.tree(location.found, "", recursive=True, offset=0, limit=MAX_SEARCHED)
    context = (query.search or "").lower().split()
    paths = [entry.path for entry in entries if entry.type == "blob"]
    found = [path for path in paths if all(word in path.lower() for word in context)]
    return HtmlPage(
        "code/find_file.html", {"location": location, "paths": found[:MAX_FOUND], "more": len(found) - MAX_FOUND}
    )


@download("/{project}/repository/{tail:path}", to=READ_CODE)
async def download_archive(request: PageRequest, project: ProjectRow, tail: str, query: ReadFile) -> Response:
    """`archive.zip?ref=v1` or `v1/archive.zip`."""
    ref, _, name = tail.rpartition("/")
    word, _, suffix = name.partition(".")
    if word != "archive" or suffix not in ARCHIVE_FORMATS:
        raise errors.unknown_route()
    code = await commits.code_of(request.services, project)
    return await archive(request.services, project, commits.find(code, ref or query.ref or None, "File"), suffix)


@download("/{project}/-/archive/{tail:path}", to=READ_CODE)
async def download_archive_later(request: PageRequest, project: ProjectRow, tail: str) -> Response:
    """`v1/project-v1.zip`: the address of newer versions."""
    ref, _, name = tail.rpartition("/")
    suffix = next((suffix for suffix in ARCHIVE_FORMATS if name.endswith(f".{suffix}")), None)
    if suffix is None or not ref:
        raise errors.unknown_route()
    code = await commits.code_of(request.services, project)
    return await archive(request.services, project, commits.find(code, ref, "File"), suffix)


def _entry(location: RepositoryLocation) -> Entry:
    return errors.or_not_found(operations.entry_at(location.found, location.path), "File")
