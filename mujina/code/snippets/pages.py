"""Snippets: those of users, and the lists and forms of those of projects."""

from typing import Any

from mujina.code.snippets import entities, filters, operations
from mujina.code.snippets.files import MAX_FILES, SnippetFile, files_of, find_file, read_files
from mujina.code.snippets.operations import Draft
from mujina.code.snippets.page_view import raw, read_snippet
from mujina.code.snippets.params import SaveSnippet, ShownSnippetFile
from mujina.code.snippets.rules import (
    CREATE_PROJECT_SNIPPET,
    EDIT_PROJECT_SNIPPET,
    EDIT_SNIPPET,
    LIST_PROJECT_SNIPPETS,
    FoundSnippet,
    find_project_snippet,
    find_snippet,
)
from mujina.instance.application_settings.choices import default_visibility, visibility_choices
from mujina.instance.application_settings.rules import read_settings
from mujina.kernel.db.transaction import Tx
from mujina.kernel.html.pages import HtmlPage, PageRequest, Redirect, form, view
from mujina.kernel.http.dispatcher import Response
from mujina.kernel.http.paging import Page
from mujina.kernel.http.params import Ref
from mujina.kernel.urls import instance_address
from mujina.rendering import markdown
from mujina.rendering.markdown import MarkdownText
from mujina.rendering.markdown_pieces import TextPlace
from mujina.workspaces.projects.rules import ProjectRow, find_project

MAX_BODY = 4 * 1024 * 1024
"""A form with a megabyte of text, as browsers encode it."""
_MINE = "/snippets/{snippet_id:int}"
_OF_PROJECT = "/{project}/snippets/{iid:int}"


@view("/snippets")
async def show_own_snippets(_: PageRequest) -> Redirect:
    return Redirect("/dashboard/snippets")


@view("/snippets/new")
async def show_new_snippet(request: PageRequest) -> HtmlPage:
    async with request.reading() as tx:
        return HtmlPage("code/snippet_form.html", await _form(tx, request, None, "/snippets"))


@form("/snippets", again="/snippets/new", max_body=MAX_BODY)
async def create_own_snippet(request: PageRequest) -> Redirect:
    change = request.read_form(SaveSnippet, "snippet")
    async with request.transaction() as tx:
        snippet_id = await _create(tx, request, None, change)
    return Redirect(f"/snippets/{snippet_id}")


@view(_MINE, anonymous=True)
async def show_own_snippet(request: PageRequest, snippet_id: int, query: ShownSnippetFile, page: Page) -> HtmlPage:
    async with request.reading() as tx:
        row = await _found(tx, request, snippet_id)
        place = TextPlace(base=instance_address.get().base, below=1)
        source = MarkdownText(row.description or "", place)
        [description] = await markdown.show(request.services, tx, request.actor, [source])
        shown = await read_snippet(request.services, tx, row, query.file or "", description, page)
    return HtmlPage("code/snippet.html", {"shown": shown, "snippet": shown.snippet, "root": "/snippets"})


@view(_MINE + "/raw", anonymous=True)
async def show_own_raw_snippet(request: PageRequest, snippet_id: int, query: ShownSnippetFile) -> Response:
    async with request.reading() as tx:
        return raw(await find_file(tx, await _found(tx, request, snippet_id), query.file or ""))


@view(_MINE + "/edit")
async def show_edit_snippet(request: PageRequest, snippet_id: int) -> HtmlPage:
    async with request.reading() as tx:
        row = await find_snippet(tx, request.actor, snippet_id, to=EDIT_SNIPPET)
        return HtmlPage("code/snippet_form.html", await _form(tx, request, row, "/snippets"))


@form(_MINE, again=_MINE + "/edit", max_body=MAX_BODY)
async def save_snippet(request: PageRequest, snippet_id: int) -> Redirect:
    change = request.read_form(SaveSnippet, "snippet")
    async with request.transaction() as tx:
        row = await find_snippet(tx, request.actor, snippet_id, to=EDIT_SNIPPET)
        await operations.edit(tx, request.actor, row, _values(change))
    return Redirect(f"/snippets/{snippet_id}", flash="Changes saved.")


@form(_MINE + "/delete", again=_MINE)
async def delete_own_snippet(request: PageRequest, snippet_id: int) -> Redirect:
    async with request.transaction() as tx:
        await operations.remove(tx, request.actor, await find_snippet(tx, request.actor, snippet_id, to=EDIT_SNIPPET))
    return Redirect("/dashboard/snippets", flash="Snippet deleted.")


@view("/{project}/snippets", to=LIST_PROJECT_SNIPPETS, rights={"create": CREATE_PROJECT_SNIPPET})
async def show_project_snippets(request: PageRequest, project: ProjectRow, page: Page) -> HtmlPage:
    async with request.reading() as tx:
        snippets = await entities.load_page(tx, filters.of_project(request.actor, project.id), page)
    context = {"snippets": snippets, "root": _root(request), "creatable": request.rights["create"]}
    return HtmlPage("code/snippets.html", context)


@view("/{project}/snippets/new", to=CREATE_PROJECT_SNIPPET, anonymous=False)
async def show_new_project_snippet(request: PageRequest) -> HtmlPage:
    async with request.reading() as tx:
        return HtmlPage("code/snippet_form.html", await _form(tx, request, None, _root(request)))


@form("/{project}/snippets", to=CREATE_PROJECT_SNIPPET, again="/{project}/snippets/new", max_body=MAX_BODY)
async def create_project_snippet(request: PageRequest, project: ProjectRow) -> Redirect:
    change = request.read_form(SaveSnippet, "snippet")
    async with request.transaction() as tx:
        found = await find_project(tx, request.actor, Ref.of(project.id), to=CREATE_PROJECT_SNIPPET)
        snippet_id = await _create(tx, request, found.id, change)
    return Redirect(f"{_root(request)}/{snippet_id}")


@view(_OF_PROJECT + "/raw", to=LIST_PROJECT_SNIPPETS)
async def show_raw_project_snippet(
    request: PageRequest, project: ProjectRow, iid: int, query: ShownSnippetFile
) -> Response:
    async with request.reading() as tx:
        row = await find_project_snippet(tx, request.actor, project.id, iid)
        return raw(await find_file(tx, row, query.file or ""))


@view(_OF_PROJECT + "/edit", to=LIST_PROJECT_SNIPPETS, anonymous=False)
async def show_edit_project_snippet(request: PageRequest, project: ProjectRow, iid: int) -> HtmlPage:
    async with request.reading() as tx:
        row = await find_project_snippet(tx, request.actor, project.id, iid, to=EDIT_PROJECT_SNIPPET)
        return HtmlPage("code/snippet_form.html", await _form(tx, request, row, _root(request)))


@form(_OF_PROJECT, to=LIST_PROJECT_SNIPPETS, again=_OF_PROJECT + "/edit", max_body=MAX_BODY)
async def save_project_snippet(request: PageRequest, project: ProjectRow, iid: int) -> Redirect:
    change = request.read_form(SaveSnippet, "snippet")
    async with request.transaction() as tx:
        row = await find_project_snippet(tx, request.actor, project.id, iid, to=EDIT_PROJECT_SNIPPET)
        await operations.edit(tx, request.actor, row, _values(change))
    return Redirect(f"{_root(request)}/{iid}", flash="Changes saved.")


@form(_OF_PROJECT + "/delete", to=LIST_PROJECT_SNIPPETS, again=_OF_PROJECT)
async def delete_project_snippet(request: PageRequest, project: ProjectRow, iid: int) -> Redirect:
    async with request.transaction() as tx:
        row = await find_project_snippet(tx, request.actor, project.id, iid, to=EDIT_PROJECT_SNIPPET)
        await operations.remove(tx, request.actor, row)
    return Redirect(_root(request), flash="Snippet deleted.")


def _root(request: PageRequest) -> str:
    return f"{request.here}/snippets"


async def _found(tx: Tx, request: PageRequest, snippet_id: int) -> FoundSnippet:
    """A user's snippet; anonymous visitors sign in first, whether it is hidden or missing."""
    request.http.context.hidden = True
    return await find_snippet(tx, request.actor, snippet_id)


async def _form(tx: Tx, request: PageRequest, row: FoundSnippet | None, root: str) -> dict[str, Any]:
    settings = await read_settings(tx)
    preferred = settings.default_snippet_visibility
    visibility = row.visibility if row else default_visibility(request.actor, settings, preferred)
    return {
        "snippet": row, "root": root, "levels": visibility_choices(request.actor, settings), "visibility": visibility,
        # There is room for one more.
        "files": [*((await files_of(tx, row))[1:] if row else ()), None][: MAX_FILES - 1],
    }  # fmt: skip


def _values(change: SaveSnippet) -> dict[str, Any]:
    """What the form says, with its files behind the first."""
    files = [
        SnippetFile(file.path.strip(), file.content.replace("\r\n", "\n")) for file in read_files(change.files or [])
    ]
    return {**change.values(), "further": [file for file in files if file.path or file.content.strip()]}


async def _create(tx: Tx, request: PageRequest, project_id: int | None, change: SaveSnippet) -> int:
    return await operations.create(tx, request.actor, project_id, Draft(**_values(change)), request.origin)
