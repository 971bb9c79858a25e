"""Discussions on issues and snippets."""

from mujina.kernel import errors
from mujina.kernel.http.dispatcher import Call, Response
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.http.params import Ref
from mujina.kernel.http.routing import Segment, delete, get, post, put
from mujina.planning.discussions import entities
from mujina.planning.discussions.entities import Discussion, find_discussion
from mujina.planning.noteables.addresses import NoteAddress, find_noteable, note_paths
from mujina.planning.notes import entities as note_entities
from mujina.planning.notes import filters, operations
from mujina.planning.notes.entities import Note
from mujina.planning.notes.params import CreateNote, EditNote
from mujina.planning.notes.rules import EDIT_NOTE, find_note
from mujina.planning.notes.writing import answer, write
from mujina.planning.quick_actions.operations import prepare


@get(**note_paths("/discussions"))
async def list_discussions(call: Call, kind: NoteAddress, id: Ref, noteable_id: int, page: Page) -> Paged[Discussion]:
    async with call.reading() as tx:
        noteable = await find_noteable(tx, call.actor, kind, id, noteable_id)
        selection = await filters.about(tx, call.actor, noteable)
        return await entities.load_page(tx, noteable, selection, page)


@get(**note_paths("/discussions/:discussion_id"))
async def show_discussion(
    call: Call, kind: NoteAddress, id: Ref, noteable_id: int, discussion_id: Segment
) -> Discussion:
    async with call.reading() as tx:
        noteable = await find_noteable(tx, call.actor, kind, id, noteable_id)
        return await find_discussion(tx, call.actor, noteable, discussion_id)


@post(**note_paths("/discussions", without="merge_request"))
async def create_discussion(
    call: Call, kind: NoteAddress, id: Ref, noteable_id: int, change: CreateNote
) -> Discussion | Response:
    prepared, shown = await prepare(call.services, call.actor, kind, id, noteable_id, change.body), None
    async with call.transaction() as tx:
        noteable = await find_noteable(tx, call.actor, kind, id, noteable_id, to="comment")
        written = await write(tx, call.actor, noteable, change, prepared, individual=False)
        if written.note is not None:
            shown = await find_discussion(tx, call.actor, noteable, written.note.discussion_id)
    return await answer(call, written, shown)


@post(**note_paths("/discussions/:discussion_id/notes"))
async def reply_to_discussion(
    call: Call, kind: NoteAddress, id: Ref, noteable_id: int, discussion_id: Segment, change: CreateNote
) -> Note | Response:
    prepared = await prepare(call.services, call.actor, kind, id, noteable_id, change.body)
    async with call.transaction() as tx:
        noteable = await find_noteable(tx, call.actor, kind, id, noteable_id, to="comment")
        discussion = await find_discussion(tx, call.actor, noteable, discussion_id)
        if discussion.notes[0].system:
            raise errors.forbidden()
        written = await write(tx, call.actor, noteable, change, prepared, discussion_id=discussion.id, individual=False)
        note = None
        if written.note is not None:
            await operations.open_discussion(tx, noteable, discussion.id)
            note = await note_entities.to_note(tx, noteable, written.note)
    return await answer(call, written, note)


@get(**note_paths("/discussions/:discussion_id/notes/:note_id"))
async def show_discussion_note(
    call: Call, kind: NoteAddress, id: Ref, noteable_id: int, discussion_id: Segment, note_id: int
) -> Note:
    """Show a note in a discussion."""
    async with call.reading() as tx:
        noteable = await find_noteable(tx, call.actor, kind, id, noteable_id)
        note = await find_note(tx, call.actor, noteable, note_id, discussion_id=discussion_id)
        return await note_entities.load_one(tx, noteable, note.id)


@put(**note_paths("/discussions/:discussion_id/notes/:note_id", without="merge_request"))
async def edit_discussion_note(
    call: Call, kind: NoteAddress, id: Ref, noteable_id: int, discussion_id: Segment, note_id: int, change: EditNote
) -> Note:
    async with call.transaction() as tx:
        noteable = await find_noteable(tx, call.actor, kind, id, noteable_id, to="comment")
        note = await find_note(tx, call.actor, noteable, note_id, to=EDIT_NOTE, discussion_id=discussion_id)
        await operations.edit(tx, call.actor, noteable, note, change.body)
        return await note_entities.load_one(tx, noteable, note.id)


@delete(**note_paths("/discussions/:discussion_id/notes/:note_id"))
async def delete_discussion_note(
    call: Call, kind: NoteAddress, id: Ref, noteable_id: int, discussion_id: Segment, note_id: int
) -> None:
    async with call.transaction() as tx:
        noteable = await find_noteable(tx, call.actor, kind, id, noteable_id, to="comment")
        note = await find_note(tx, call.actor, noteable, note_id, to=EDIT_NOTE, discussion_id=discussion_id)
        call.unless_modified(note.updated_at)
        await operations.remove(tx, call.actor, noteable, note)
