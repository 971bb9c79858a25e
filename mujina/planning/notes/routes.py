"""Notes on issues and snippets."""

from mujina.kernel.http.dispatcher import Call, Response
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.http.params import Ref
from mujina.kernel.http.routing import delete, get, post, put
from mujina.planning.noteables.addresses import NoteAddress, find_noteable, note_paths
from mujina.planning.notes import entities, filters, operations
from mujina.planning.notes.entities import Note
from mujina.planning.notes.params import CreateNote, EditNote, ListNotes
from mujina.planning.notes.rules import EDIT_NOTE, find_note
from mujina.planning.notes.writing import answer, write
from mujina.planning.quick_actions.operations import prepare


@get(**note_paths("/notes"))
async def list_notes(
    call: Call, kind: NoteAddress, id: Ref, noteable_id: int, query: ListNotes, page: Page
) -> Paged[Note]:
    async with call.reading() as tx:
        noteable = await find_noteable(tx, call.actor, kind, id, noteable_id)
        selection = await filters.about(tx, call.actor, noteable)
        return await entities.load_page(tx, noteable, selection.notes, filters.order(query), page)


@get(**note_paths("/notes/:note_id"))
async def show_note(call: Call, kind: NoteAddress, id: Ref, noteable_id: int, note_id: int) -> Note:
    async with call.reading() as tx:
        noteable = await find_noteable(tx, call.actor, kind, id, noteable_id)
        note = await find_note(tx, call.actor, noteable, note_id)
        return await entities.load_one(tx, noteable, note.id)


@post(**note_paths("/notes"))
async def create_note(call: Call, kind: NoteAddress, id: Ref, noteable_id: int, change: CreateNote) -> Note | Response:
    prepared = await prepare(call.services, call.actor, kind, id, noteable_id, change.body)
    async with call.transaction() as tx:
        noteable = await find_noteable(tx, call.actor, kind, id, noteable_id, to="comment")
        written = await write(tx, call.actor, noteable, change, prepared)
        note = None if written.note is None else await entities.to_note(tx, noteable, written.note)
    return await answer(call, written, note)


@put(**note_paths("/notes/:note_id"))
async def edit_note(call: Call, kind: NoteAddress, id: Ref, noteable_id: int, note_id: int, change: EditNote) -> Note:
    async with call.transaction() as tx:
        noteable = await find_noteable(tx, call.actor, kind, id, noteable_id, to="comment")
        note = await find_note(tx, call.actor, noteable, note_id, to=EDIT_NOTE)
        await operations.edit(tx, call.actor, noteable, note, change.body)
        return await entities.load_one(tx, noteable, note.id)


@delete(**note_paths("/notes/:note_id"))
async def delete_note(call: Call, kind: NoteAddress, id: Ref, noteable_id: int, note_id: int) -> None:
    async with call.transaction() as tx:
        noteable = await find_noteable(tx, call.actor, kind, id, noteable_id, to="comment")
        note = await find_note(tx, call.actor, noteable, note_id, to=EDIT_NOTE)
        call.unless_modified(note.updated_at)
        await operations.remove(tx, call.actor, noteable, note)
