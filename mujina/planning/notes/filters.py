"""Lists of notes."""

from typing import NamedTuple

from mujina.kernel.db.sql.selection import Order, Selection, Sql, ascending
from mujina.kernel.db.transaction import Tx
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.permissions.rules import Rule
from mujina.planning.noteables.kinds import Noteable
from mujina.planning.notes.params import ListNotes
from mujina.planning.notes.rules import count_sources

_ORDERS = {
    "created_at": ascending("note.created_at", "note.id"),
    "updated_at": ascending("note.updated_at", "note.id"),
    "id": ascending("note.id"),
}


class NotesOf(NamedTuple):
    """The notes on one noteable that an actor may read."""

    notes: Selection
    readable: Rule
    """Whether the actor may read one of them."""


async def about(tx: Tx, actor: Actor, noteable: Noteable) -> NotesOf:
    """The notes on this noteable that the actor may read."""
    sources = await count_sources(tx, noteable)
    notes = Selection(
        "notes note",
        f"note.noteable_kind = :noteable_kind AND note.noteable_id = :noteable_id AND {sources.readable.for_scan}",
        **noteable.bound,
        **actor.bound,
    )
    if not sources.sourced:
        return NotesOf(notes.counted(sources.unsourced), sources.readable)
    sourced = notes.where("note.source_kind IS NOT NULL").count
    count = Sql(f"SELECT CAST(:unsourced AS bigint) + ({sourced.text})", unsourced=sources.unsourced)
    return NotesOf(notes.counted(count), sources.readable)


def order(query: ListNotes) -> Order:
    """The requested order; the id breaks ties in the same direction."""
    return _ORDERS[query.order_by].directed(query.sort)
