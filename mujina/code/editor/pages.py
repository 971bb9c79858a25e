"""The editor of one file: new, edit, delete."""

from urllib.parse import quote

from msgspec import structs

from mujina.code.branches import operations as branches
from mujina.code.branches.offers import offered_branch, propose_merge
from mujina.code.editor import operations
from mujina.code.editor.params import RemoveFile, SaveFile
from mujina.code.file_templates.entities import first_text, template_choices
from mujina.code.file_templates.params import NewFileQuery
from mujina.code.files import operations as files
from mujina.code.files.views import view_of
from mujina.code.repositories.browsing import RepositoryLocation, browse
from mujina.kernel import errors
from mujina.kernel.html.pages import HtmlPage, PageRequest, Redirect, form, view
from mujina.workspaces.projects.rules import PUSH_BRANCH, ProjectRow

MAX_BODY = 4 * 1024 * 1024
"""A form with a file of a megabyte, as browsers encode it."""


@view("/{project}/new/{tail:path}", to=PUSH_BRANCH)
async def new_file(request: PageRequest, project: ProjectRow, tail: str, query: NewFileQuery) -> HtmlPage:
    """In an empty repository, the branch of the address is created by the first file."""
    chosen = query.template or ""
    name, content = first_text(chosen, project.name, request.actor.name)
    context = {
        "action": f"{request.here}/create/{quote(tail)}",
        "verb": "New file",
        "content": content,
        "last": "",
        "here": f"{request.here}/new/{quote(tail)}",
        "templates": template_choices(),
        "template": chosen,
    }
    if project.default_branch is None:
        async with request.reading() as tx:
            initial = await branches.initial_branch(tx, project)
        context |= {"path": name, "branch": initial, "offered": initial, "cancel": request.here}
        return HtmlPage("code/editor.html", context)
    location = await browse(request.services, project, tail)
    folder = f"{location.path}/" if location.path else ""
    context |= {"path": folder + name, "cancel": location.address("tree"), **await _branches(request, location)}
    return HtmlPage("code/editor.html", context)


@form("/{project}/create/{tail:path}", to=PUSH_BRANCH, again="/{project}/new/{tail:path}", max_body=MAX_BODY)
async def create_file(request: PageRequest, project: ProjectRow, tail: str) -> Redirect:
    change = request.read_form(SaveFile, "file")
    change = structs.replace(change, content=change.content.replace("\r\n", "\n"))
    start = change.branch if project.default_branch is None else _branch(await browse(request.services, project, tail))
    await operations.save(request.services, request.actor, project, "create", start, "", change)
    return _saved(request, start, change)


@view("/{project}/edit/{tail:path}", to=PUSH_BRANCH)
async def edit_file(request: PageRequest, project: ProjectRow, tail: str) -> HtmlPage:
    location = await browse(request.services, project, tail)
    context = {
        **await _branches(request, location),
        "path": location.path,
        "content": _text(location),
        "verb": "Edit file",
        "templates": (),
    }
    last = await files.last_commit_of(location.found, location.path)
    return HtmlPage(
        "code/editor.html",
        {**context, "action": location.address("edit"), "cancel": location.address("blob"), "last": last},
    )


@form("/{project}/edit/{tail:path}", to=PUSH_BRANCH, max_body=MAX_BODY)
async def save_file(request: PageRequest, project: ProjectRow, tail: str) -> Redirect | HtmlPage:
    change = request.read_form(SaveFile, "file")
    location = await browse(request.services, project, tail)
    current, start = _text(location), _branch(location)
    if await operations.is_outdated(location.found, location.path, change.last_commit_id or ""):
        context = {"location": location, "action": location.address("edit"), "change": change, "current": current}
        last = await files.last_commit_of(location.found, location.path)
        difference = operations.difference(current, change.content.replace("\r\n", "\n"))
        return HtmlPage("code/editor_conflict.html", {**context, "last": last, "difference": difference}, status=409)
    change = structs.replace(change, content=operations.with_line_ends_of(current, change.content))
    await operations.save(request.services, request.actor, project, "update", start, location.path, change)
    return _saved(request, start, change)


@view("/{project}/delete/{tail:path}", to=PUSH_BRANCH)
async def confirm_deletion(request: PageRequest, project: ProjectRow, tail: str) -> HtmlPage:
    location = await browse(request.services, project, tail)
    if files.entry_at(location.found, location.path) is None or not location.path:
        raise errors.not_found("File")
    last = await files.last_commit_of(location.found, location.path)
    context = {"location": location, "last": last, **await _branches(request, location)}
    return HtmlPage("code/delete_file.html", context)


@form("/{project}/delete/{tail:path}", to=PUSH_BRANCH)
async def delete_file(request: PageRequest, project: ProjectRow, tail: str, change: RemoveFile) -> Redirect:
    location = await browse(request.services, project, tail)
    start = _branch(location)
    await operations.remove(request.services, request.actor, project, start, location.path, change)
    if change.start_merge_request and change.branch != start:
        return propose_merge(request, change.branch, start)
    folder = location.path.rpartition("/")[0]
    exists = files.entry_at(location.found, folder) is not None and change.branch == start
    return Redirect(
        location.address("commits", "", change.branch) if not exists else location.address("tree", "", start),
        flash=f"{location.path} was deleted.",
    )


def _branch(location: RepositoryLocation) -> str:
    """The branch of the address; 404 for a tag or a commit."""
    if not location.is_branch:
        raise errors.not_found("Branch")
    return location.found.name


async def _branches(request: PageRequest, location: RepositoryLocation) -> dict[str, str]:
    """The branch of the address, and the one that the form offers."""
    branch = _branch(location)
    async with request.reading() as tx:
        offered = await offered_branch(tx, request.actor, location.project, location.found.code, branch)
    return {"branch": branch, "offered": offered}


def _text(location: RepositoryLocation) -> str:
    entry, blob = files.entry_at(location.found, location.path), files.blob(location.found, location.path)
    shown = view_of(entry, blob, source=True) if entry else None
    if shown is None or shown.kind != "code" or not shown.exact:
        raise errors.not_found("Text")
    return shown.text


def _saved(request: PageRequest, start: str, change: SaveFile) -> Redirect:
    if change.start_merge_request and change.branch != start:
        return propose_merge(request, change.branch, start)
    path = files.tree_path(change.file_path)
    return Redirect(f"{request.here}/blob/{quote(change.branch)}/{quote(path)}", flash="Your changes were committed.")
