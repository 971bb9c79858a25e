"""Award emoji on whatever can be commented on, and on the comments."""

from mujina.kernel.db.transaction import Tx
from mujina.kernel.http import Call, Json
from mujina.kernel.paging import Page
from mujina.kernel.params import Ref
from mujina.kernel.routing import delete, get, post
from mujina.planning.awards import entities, operations
from mujina.planning.awards.params import CreateAward
from mujina.planning.awards.rules import TAKE_AWARD_BACK, Subject, find_award, given_to
from mujina.planning.notes.noteables import below_each, find_noteable
from mujina.planning.notes.rules import find_note


@get(*below_each("/award_emoji"))
async def list_awards(call: Call, id: Ref, noteable_id: int, page: Page) -> Json:
    async with call.reading() as tx:
        return await _list(tx, await _noteable(tx, call, id, noteable_id), page)


@get(*below_each("/award_emoji/:award_id"))
async def show_award(call: Call, id: Ref, noteable_id: int, award_id: int) -> Json:
    async with call.reading() as tx:
        return await _show(tx, call, await _noteable(tx, call, id, noteable_id), award_id)


@post(*below_each("/award_emoji"))
async def create_award(call: Call, id: Ref, noteable_id: int, change: CreateAward) -> Json:
    async with call.transaction() as tx:
        return await _create(tx, call, await _noteable(tx, call, id, noteable_id), change)


@delete(*below_each("/award_emoji/:award_id"))
async def delete_award(call: Call, id: Ref, noteable_id: int, award_id: int) -> Json:
    async with call.transaction() as tx:
        await _delete(tx, call, await _noteable(tx, call, id, noteable_id), award_id)


@get(*below_each("/notes/:note_id/award_emoji"))
async def list_note_awards(call: Call, id: Ref, noteable_id: int, note_id: int, page: Page) -> Json:
    async with call.reading() as tx:
        return await _list(tx, await _note(tx, call, id, noteable_id, note_id), page)


@get(*below_each("/notes/:note_id/award_emoji/:award_id"))
async def show_note_award(call: Call, id: Ref, noteable_id: int, note_id: int, award_id: int) -> Json:
    async with call.reading() as tx:
        return await _show(tx, call, await _note(tx, call, id, noteable_id, note_id), award_id)


@post(*below_each("/notes/:note_id/award_emoji"))
async def create_note_award(call: Call, id: Ref, noteable_id: int, note_id: int, change: CreateAward) -> Json:
    async with call.transaction() as tx:
        return await _create(tx, call, await _note(tx, call, id, noteable_id, note_id), change)


@delete(*below_each("/notes/:note_id/award_emoji/:award_id"))
async def delete_note_award(call: Call, id: Ref, noteable_id: int, note_id: int, award_id: int) -> Json:
    async with call.transaction() as tx:
        await _delete(tx, call, await _note(tx, call, id, noteable_id, note_id), award_id)


async def _noteable(tx: Tx, call: Call, ref: Ref, number: int) -> Subject:
    it = await find_noteable(tx, call, ref, number)
    return Subject(it.kind, it.type, it.id, it.author_id, it.project_id, it.confidential, (it.kind, it.id))


async def _note(tx: Tx, call: Call, ref: Ref, number: int, note_id: int) -> Subject:
    about = await find_noteable(tx, call, ref, number)
    note = await find_note(tx, call.actor, about, note_id)
    return Subject(
        "note", "Note", note.id, note.author_id, about.project_id, about.confidential, (about.kind, about.id)
    )


async def _list(tx: Tx, subject: Subject, page: Page) -> Json:
    return page.of(await entities.listed(tx, subject, page), await given_to(subject).total(tx))


async def _show(tx: Tx, call: Call, subject: Subject, award_id: int) -> Json:
    award = await find_award(tx, call.actor, subject, award_id)
    return await entities.single(tx, subject, award.id)


async def _create(tx: Tx, call: Call, subject: Subject, change: CreateAward) -> Json:
    award_id = await operations.give(tx, call.actor, subject, change.name)
    return await entities.single(tx, subject, award_id)


async def _delete(tx: Tx, call: Call, subject: Subject, award_id: int) -> None:
    award = await find_award(tx, call.actor, subject, award_id, to=TAKE_AWARD_BACK)
    call.unless_modified(award.updated_at)
    await operations.take_back(tx, call.actor, subject, award)
