"""Commenting on issues, merge requests, snippets and epics: the forms of their pages. Comments on commits are edited and
deleted by the same forms; `commit_comments` writes them.
"""

from mujina.kernel import errors
from mujina.kernel.html.pages import NOTE, HtmlPage, PageRequest, Redirect, ShowFormAgain, form
from mujina.kernel.http.params import UNSET, Params, Ref, RequiredText, Unset
from mujina.planning.awards import operations as awards
from mujina.planning.awards.emoji import canonical
from mujina.planning.awards.rules import Awardable
from mujina.planning.discussions.entities import find_discussion
from mujina.planning.discussions.timeline import text_place
from mujina.planning.noteables.page_forms import find_shown, kind_of, noteable_form, noteable_view, page_of
from mujina.planning.notes import operations
from mujina.planning.notes.new_notes import to_note
from mujina.planning.notes.params import CreateNote
from mujina.planning.notes.rules import EDIT_NOTE, find_note
from mujina.planning.notes.writing import write
from mujina.planning.quick_actions.operations import finish, prepare
from mujina.planning.uploads.attaching import MAX_FORM_WITH_FILES, attach, files_of, staged_files
from mujina.planning.work_items.page_scopes import scope_of
from mujina.rendering import markdown
from mujina.rendering.markdown import MarkdownText


class Comment(Params):
    body: str = ""
    discussion_id: str | Unset = UNSET
    """The thread that it answers."""
    close: bool | Unset = UNSET
    """Comment and close."""
    thread: bool | Unset = UNSET
    """Start a thread, which can be resolved."""
    preview: bool | Unset = UNSET
    """Show the text as others would see it, and write nothing."""


class EditComment(Params):
    body: str = ""
    preview: bool | Unset = UNSET


class Reaction(Params):
    name: RequiredText


class Preview(Params):
    text: str = ""
    body: str = ""
    """The text, as the form of a comment names it."""


_REQUEST = "/{project}/merge_requests/{iid:int}"


@form(f"{_REQUEST}/diffs/notes", again=f"{_REQUEST}/diffs", max_body=MAX_FORM_WITH_FILES)
@noteable_form("/notes", without=("commit",), max_body=MAX_FORM_WITH_FILES)
async def comment(request: PageRequest, iid: int, change: Comment) -> Redirect | ShowFormAgain:
    """Write a comment; its quick actions are carried out, and the next page says what they did.

    A reply among the changes of a merge request has an address of its own: refused, it is shown there again.
    """
    if change.preview:
        return ShowFormAgain()
    if not change.body.strip() and not files_of(request):
        raise errors.invalid({"body": [errors.BLANK]})
    actor, ref = request.actor, Ref.of(scope_of(request).owner.id)
    text = f"{change.body}\n/close" if change.close else change.body
    prepared = await prepare(request.services, actor, kind_of(request), ref, iid, text)
    async with staged_files(request) as files, request.transaction() as tx:
        noteable = await find_shown(tx, request, "comment")
        if change.discussion_id and (await find_discussion(tx, actor, noteable, change.discussion_id)).notes[0].system:
            raise errors.forbidden()
        body = await attach(tx, actor, noteable.project_id or 0, text, files)
        written = await write(
            tx, actor, noteable, CreateNote(body=body), prepared, discussion_id=change.discussion_id or None,
            individual=not change.discussion_id and not change.thread,
        )  # fmt: skip
        if change.discussion_id:
            await operations.open_discussion(tx, noteable, change.discussion_id)
    done = ""
    if written.plan is not None and written.outcome is not None:
        await finish(request.services, written.plan, written.outcome)
        done = " ".join(written.outcome.summary)
    page = request.target("") or _page_with(request, written.note_id)
    return to_note(request, page, written.note_id, done=done, whole=written.plan is not None)


def _page_with(request: PageRequest, note_id: int | None) -> str:
    """The page, with that part of a long discussion that has the note."""
    page = page_of(request)
    return f"{page}?note={note_id}" if note_id else page


@noteable_view("/notes/{note_id:int}/edit")
async def show_edit_note(request: PageRequest, note_id: int) -> HtmlPage:
    scope = scope_of(request)
    async with request.reading() as tx:
        noteable = await find_shown(tx, request, "comment")
        note = await find_note(tx, request.actor, noteable, note_id, to=EDIT_NOTE)
        text = request.draft("body")
        source = MarkdownText(text or "", text_place(scope.row.full_path, group=scope.of_group))
        [html] = await markdown.show(request.services, tx, request.actor, [source])
    page = _page_with(request, note_id)
    context = {
        "note": note, "action": f"{page_of(request)}/notes/{note_id}", "preview": None if text is None else html,
        "target": request.target(""), "back": f"{request.target(page)}#note_{note_id}",
    }  # fmt: skip
    return HtmlPage("planning/note_form.html", context, parts={NOTE: ("form",)})


@noteable_form("/notes/{note_id:int}", "/notes/{note_id:int}/edit")
async def edit_note(request: PageRequest, note_id: int, change: EditComment) -> Redirect | ShowFormAgain:
    if change.preview:
        return ShowFormAgain()
    if not change.body.strip():
        raise errors.invalid({"body": [errors.BLANK]})
    async with request.transaction() as tx:
        noteable = await find_shown(tx, request, "comment")
        note = await find_note(tx, request.actor, noteable, note_id, to=EDIT_NOTE)
        await operations.edit(tx, request.actor, noteable, note, change.body)
    page = request.target("") or _page_with(request, note_id)
    return to_note(request, page, note_id, done="" if request.fragment is None else "Comment saved.")


@noteable_form("/notes/{note_id:int}/delete")
async def delete_note(request: PageRequest, note_id: int) -> Redirect:
    async with request.transaction() as tx:
        noteable = await find_shown(tx, request, "comment")
        note = await find_note(tx, request.actor, noteable, note_id, to=EDIT_NOTE)
        await operations.remove(tx, request.actor, noteable, note)
    return Redirect(request.target(page_of(request)), flash="Comment deleted.")


@noteable_form("/react", without=("commit",))
async def react(request: PageRequest, change: Reaction) -> Redirect:
    """Give the emoji, or take it back."""
    if canonical(change.name) is None:
        raise errors.bad_request("There is no such emoji")
    async with request.transaction() as tx:
        await awards.toggle(tx, request.actor, Awardable.of(await find_shown(tx, request)), change.name)
    return Redirect(page_of(request))


@form("/{project}/preview_markdown", max_body=MAX_FORM_WITH_FILES)
@form("/groups/{group}/-/preview_markdown")
async def preview(request: PageRequest, change: Preview) -> HtmlPage:
    scope = scope_of(request)
    async with request.reading() as tx:
        source = MarkdownText(change.text or change.body, text_place(scope.row.full_path, group=scope.of_group))
        [html] = await markdown.show(request.services, tx, request.actor, [source])
    return HtmlPage("planning/preview.html", {"html": html}, fragments=("preview",))
