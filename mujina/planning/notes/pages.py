"""Commenting on issues and merge requests: the forms of their pages."""

from mujina.kernel import errors
from mujina.kernel.noteables import Noteable, NoteableName
from mujina.kernel.pages import HtmlPage, PageRequest, Redirect, form, view
from mujina.kernel.params import UNSET, Params, Ref, RequiredText, Unset
from mujina.planning.awards import operations as awards
from mujina.planning.awards.emoji import canonical
from mujina.planning.awards.rules import Awardable
from mujina.planning.discussions.entities import find_discussion
from mujina.planning.discussions.timeline import text_place
from mujina.planning.notes import operations
from mujina.planning.notes.noteables import find_noteable
from mujina.planning.notes.params import CreateNote
from mujina.planning.notes.rules import EDIT_NOTE, find_note
from mujina.planning.notes.writing import write
from mujina.planning.quick_actions.operations import finish, prepare
from mujina.rendering import markdown
from mujina.rendering.markdown import MarkdownText
from mujina.workspaces.projects.rules import ProjectRow

_KINDS: dict[str, NoteableName] = {"issues": "issue", "merge_requests": "merge_request"}
"""By the word of the address."""


class Comment(Params):
    body: RequiredText
    discussion_id: str | Unset = UNSET
    """The thread that it answers."""
    close: bool | Unset = UNSET
    """Comment and close."""
    thread: bool | Unset = UNSET
    """Start a thread, which can be resolved."""


class EditComment(Params):
    body: RequiredText


class Reaction(Params):
    name: RequiredText


class Preview(Params):
    text: str = ""
    body: str = ""
    """The same, as the form of a comment names it."""


def _word(request: PageRequest) -> str:
    """`issues` or `merge_requests`, as the address has it."""
    assert request.route is not None
    return request.route.path.split("/")[2]


def _address(request: PageRequest, project: ProjectRow, noteable: Noteable, note_id: int | None) -> str:
    address = f"/{project.full_path}/{_word(request)}/{noteable.iid}"
    return f"{address}?note={note_id}#note_{note_id}" if note_id else address


@form("/{project}/issues/{iid:int}/notes", again="/{project}/issues/{iid:int}")
@form("/{project}/merge_requests/{iid:int}/notes", again="/{project}/merge_requests/{iid:int}")
async def comment(request: PageRequest, project: ProjectRow, iid: int, change: Comment) -> Redirect:
    """Write a comment; its quick actions are carried out, and the next page says what they did."""
    kind, actor, ref = _KINDS[_word(request)], request.actor, Ref.of(project.id)
    body = f"{change.body}\n/close" if change.close else change.body
    prepared = await prepare(request.services, actor, kind, ref, iid, body)
    async with request.transaction() as tx:
        noteable = await find_noteable(tx, actor, kind, ref, iid, to="comment")
        if change.discussion_id and (await find_discussion(tx, actor, noteable, change.discussion_id)).notes[0].system:
            raise errors.forbidden()
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
    anchor = f"#note_{written.note_id}" if written.note_id else ""
    target = request.target("")
    return Redirect(
        f"{target}{anchor}" if target else _address(request, project, noteable, written.note_id), flash=done
    )


@view("/{project}/issues/{iid:int}/notes/{note_id:int}/edit", anonymous=False)
@view("/{project}/merge_requests/{iid:int}/notes/{note_id:int}/edit", anonymous=False)
async def show_edit_note(request: PageRequest, project: ProjectRow, iid: int, note_id: int) -> HtmlPage:
    async with request.reading() as tx:
        noteable = await find_noteable(tx, request.actor, _KINDS[_word(request)], Ref.of(project.id), iid, to="comment")
        note = await find_note(tx, request.actor, noteable, note_id, to=EDIT_NOTE)
    return HtmlPage("planning/note_form.html", {"note": note, "word": _word(request), "iid": iid})


@form("/{project}/issues/{iid:int}/notes/{note_id:int}", again="/{project}/issues/{iid:int}/notes/{note_id:int}/edit")
@form(
    "/{project}/merge_requests/{iid:int}/notes/{note_id:int}",
    again="/{project}/merge_requests/{iid:int}/notes/{note_id:int}/edit",
)
async def edit_note(request: PageRequest, project: ProjectRow, iid: int, note_id: int, change: EditComment) -> Redirect:
    async with request.transaction() as tx:
        noteable = await find_noteable(tx, request.actor, _KINDS[_word(request)], Ref.of(project.id), iid, to="comment")
        note = await find_note(tx, request.actor, noteable, note_id, to=EDIT_NOTE)
        await operations.edit(tx, request.actor, noteable, note, change.body)
    return Redirect(_address(request, project, noteable, note_id))


@form("/{project}/issues/{iid:int}/notes/{note_id:int}/delete", again="/{project}/issues/{iid:int}")
@form("/{project}/merge_requests/{iid:int}/notes/{note_id:int}/delete", again="/{project}/merge_requests/{iid:int}")
async def delete_note(request: PageRequest, project: ProjectRow, iid: int, note_id: int) -> Redirect:
    async with request.transaction() as tx:
        noteable = await find_noteable(tx, request.actor, _KINDS[_word(request)], Ref.of(project.id), iid, to="comment")
        note = await find_note(tx, request.actor, noteable, note_id, to=EDIT_NOTE)
        await operations.remove(tx, request.actor, noteable, note)
    return Redirect(_address(request, project, noteable, None), flash="Comment deleted.")


@form("/{project}/issues/{iid:int}/react", again="/{project}/issues/{iid:int}")
@form("/{project}/merge_requests/{iid:int}/react", again="/{project}/merge_requests/{iid:int}")
async def react(request: PageRequest, project: ProjectRow, iid: int, change: Reaction) -> Redirect:
    """Give the emoji, or take it back."""
    if canonical(change.name) is None:
        raise errors.bad_request("There is no such emoji")
    async with request.transaction() as tx:
        noteable = await find_noteable(tx, request.actor, _KINDS[_word(request)], Ref.of(project.id), iid)
        await awards.toggle(tx, request.actor, Awardable.of(noteable), change.name)
    return Redirect(_address(request, project, noteable, None))


@form("/{project}/preview_markdown")
async def preview(request: PageRequest, project: ProjectRow, change: Preview) -> HtmlPage:
    async with request.reading() as tx:
        source = MarkdownText(change.text or change.body, text_place(project.full_path))
        [html] = await markdown.show(request.services, tx, request.actor, [source])
    return HtmlPage("planning/preview.html", {"html": html}, fragments=("preview",))
