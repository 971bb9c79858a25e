"""Award emoji on issues, merge requests, snippets and notes."""

from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.http.params import Ref
from mujina.kernel.http.routing import delete, get, post
from mujina.planning.awards import entities, operations
from mujina.planning.awards.entities import Award
from mujina.planning.awards.params import CreateAward
from mujina.planning.awards.rules import REMOVE_AWARD, Awardable, find_award
from mujina.planning.noteables.addresses import find_noteable, paths
from mujina.planning.noteables.kinds import NoteableName
from mujina.planning.notes.rules import find_note


@get(**paths("/award_emoji"))
async def list_awards(call: Call, kind: NoteableName, id: Ref, noteable_id: int, page: Page) -> Paged[Award]:
    async with call.reading() as tx:
        return await entities.load_page(tx, await _noteable(tx, call, kind, id, noteable_id), page)


@get(**paths("/award_emoji/:award_id"))
async def show_award(call: Call, kind: NoteableName, id: Ref, noteable_id: int, award_id: int) -> Award:
    async with call.reading() as tx:
        return await _show(tx, call, await _noteable(tx, call, kind, id, noteable_id), award_id)


@post(**paths("/award_emoji"))
async def create_award(call: Call, kind: NoteableName, id: Ref, noteable_id: int, change: CreateAward) -> Award:
    async with call.transaction() as tx:
        return await _create(tx, call, await _noteable(tx, call, kind, id, noteable_id), change)


@delete(**paths("/award_emoji/:award_id"))
async def delete_award(call: Call, kind: NoteableName, id: Ref, noteable_id: int, award_id: int) -> None:
    async with call.transaction() as tx:
        await _delete(tx, call, await _noteable(tx, call, kind, id, noteable_id), award_id)


@get(**paths("/notes/:note_id/award_emoji"))
async def list_note_awards(
    call: Call, kind: NoteableName, id: Ref, noteable_id: int, note_id: int, page: Page
) -> Paged[Award]:
    async with call.reading() as tx:
        return await entities.load_page(tx, await _note(tx, call, kind, id, noteable_id, note_id), page)


@get(**paths("/notes/:note_id/award_emoji/:award_id"))
async def show_note_award(
    call: Call, kind: NoteableName, id: Ref, noteable_id: int, note_id: int, award_id: int
) -> Award:
    async with call.reading() as tx:
        return await _show(tx, call, await _note(tx, call, kind, id, noteable_id, note_id), award_id)


@post(**paths("/notes/:note_id/award_emoji"))
async def create_note_award(
    call: Call, kind: NoteableName, id: Ref, noteable_id: int, note_id: int, change: CreateAward
) -> Award:
    async with call.transaction() as tx:
        return await _create(tx, call, await _note(tx, call, kind, id, noteable_id, note_id), change)


@delete(**paths("/notes/:note_id/award_emoji/:award_id"))
async def delete_note_award(
    call: Call, kind: NoteableName, id: Ref, noteable_id: int, note_id: int, award_id: int
) -> None:
    async with call.transaction() as tx:
        await _delete(tx, call, await _note(tx, call, kind, id, noteable_id, note_id), award_id)


async def _noteable(tx: Tx, call: Call, kind: NoteableName, ref: Ref, number: int) -> Awardable:
    return Awardable.of(await find_noteable(tx, call.actor, kind, ref, number))


async def _note(tx: Tx, call: Call, kind: NoteableName, ref: Ref, number: int, note_id: int) -> Awardable:
    noteable = await find_noteable(tx, call.actor, kind, ref, number)
    note = await find_note(tx, call.actor, noteable, note_id)
    return Awardable(
        kind="note", type="Note", id=note.id, author_id=note.author_id, project_id=noteable.project_id,
        confidential=noteable.confidential, noteable=(noteable.kind, noteable.id), group_id=noteable.group_id,
    )  # fmt: skip


async def _show(tx: Tx, call: Call, awardable: Awardable, award_id: int) -> Award:
    award = await find_award(tx, call.actor, awardable, award_id)
    return await entities.load_one(tx, awardable, award.id)


async def _create(tx: Tx, call: Call, awardable: Awardable, change: CreateAward) -> Award:
    award_id = await operations.create(tx, call.actor, awardable, change.name)
    return await entities.load_one(tx, awardable, award_id)


async def _delete(tx: Tx, call: Call, awardable: Awardable, award_id: int) -> None:
    award = await find_award(tx, call.actor, awardable, award_id, to=REMOVE_AWARD)
    call.unless_modified(award.updated_at)
    await operations.remove(tx, call.actor, awardable, award)
