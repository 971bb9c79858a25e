"""The page of a project's snippet: its code, and the comments on it."""

from urllib.parse import quote

from mujina.code.snippets.page_view import read_snippet
from mujina.code.snippets.rules import LIST_PROJECT_SNIPPETS, find_project_snippet
from mujina.kernel.pages import HtmlPage, PageRequest, Redirect, form, view
from mujina.kernel.params import UNSET, Params, Ref, RequiredText, Unset
from mujina.planning.discussions.timeline import read_timeline, text_place
from mujina.planning.notes import operations
from mujina.planning.notes.noteables import find_noteable
from mujina.planning.notes.params import CreateNote
from mujina.planning.notes.rules import EDIT_NOTE, find_note
from mujina.planning.notes.writing import write
from mujina.workspaces.projects.rules import ProjectRow

_HERE = "/{project}/snippets/{snippet_id:int}"
_NOTE = _HERE + "/notes/{note_id:int}"


class ShownSnippet(Params):
    note: int | Unset = UNSET
    """The part of a long discussion."""


class SnippetComment(Params):
    body: RequiredText
    discussion_id: str | Unset = UNSET
    """The thread that it answers."""


@view(_HERE, to=LIST_PROJECT_SNIPPETS)
async def show_project_snippet(
    request: PageRequest, project: ProjectRow, snippet_id: int, query: ShownSnippet
) -> HtmlPage:
    services, actor, place = request.services, request.actor, text_place(project.full_path)
    async with request.reading() as tx:
        row = await find_project_snippet(tx, actor, project.id, snippet_id)
        noteable = await find_noteable(tx, actor, "snippet", Ref.of(project.id), snippet_id)
        timeline = await read_timeline(services, tx, actor, noteable, place, note=query.note or 0)
        shown = await read_snippet(services, tx, actor, row, place)
    words = {"shown": shown, "snippet": shown.snippet, "timeline": timeline}
    return HtmlPage("planning/snippet.html", {**words, "root": f"/{quote(project.full_path)}/snippets"})


@form(_HERE + "/notes", to=LIST_PROJECT_SNIPPETS, again=_HERE)
async def comment_on_snippet(
    request: PageRequest, project: ProjectRow, snippet_id: int, change: SnippetComment
) -> Redirect:
    thread = change.discussion_id or None
    async with request.transaction() as tx:
        noteable = await find_noteable(tx, request.actor, "snippet", Ref.of(project.id), snippet_id, to="comment")
        written = await write(
            tx, request.actor, noteable, CreateNote(body=change.body), discussion_id=thread, individual=thread is None
        )
        if thread is not None:
            await operations.open_discussion(tx, noteable, thread)
    return _shown(project, snippet_id, written.note_id)


@view(_NOTE + "/edit", to=LIST_PROJECT_SNIPPETS, anonymous=False)
async def show_edit_snippet_note(request: PageRequest, project: ProjectRow, snippet_id: int, note_id: int) -> HtmlPage:
    async with request.reading() as tx:
        noteable = await find_noteable(tx, request.actor, "snippet", Ref.of(project.id), snippet_id, to="comment")
        note = await find_note(tx, request.actor, noteable, note_id, to=EDIT_NOTE)
    return HtmlPage("planning/note_form.html", {"note": note, "word": "snippets", "iid": snippet_id})


@form(_NOTE, to=LIST_PROJECT_SNIPPETS, again=_NOTE + "/edit")
async def edit_snippet_note(
    request: PageRequest, project: ProjectRow, snippet_id: int, note_id: int, change: SnippetComment
) -> Redirect:
    async with request.transaction() as tx:
        noteable = await find_noteable(tx, request.actor, "snippet", Ref.of(project.id), snippet_id, to="comment")
        note = await find_note(tx, request.actor, noteable, note_id, to=EDIT_NOTE)
        await operations.edit(tx, request.actor, noteable, note, change.body)
    return _shown(project, snippet_id, note_id)


@form(_NOTE + "/delete", to=LIST_PROJECT_SNIPPETS, again=_HERE)
async def delete_snippet_note(request: PageRequest, project: ProjectRow, snippet_id: int, note_id: int) -> Redirect:
    async with request.transaction() as tx:
        noteable = await find_noteable(tx, request.actor, "snippet", Ref.of(project.id), snippet_id, to="comment")
        note = await find_note(tx, request.actor, noteable, note_id, to=EDIT_NOTE)
        await operations.remove(tx, request.actor, noteable, note)
    return _shown(project, snippet_id, None)


def _shown(project: ProjectRow, snippet_id: int, note_id: int | None) -> Redirect:
    address = f"/{quote(project.full_path)}/snippets/{snippet_id}"
    if note_id is None:
        return Redirect(address, flash="Comment deleted.")
    return Redirect(f"{address}?note={note_id}#note_{note_id}")
