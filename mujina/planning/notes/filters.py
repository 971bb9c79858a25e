"""Lists of notes."""

from typing import NamedTuple

from mujina.kernel.db.sql.pieces import Order, ascending
from mujina.kernel.db.sql.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.permissions.actor import Actor
from mujina.planning.noteables.kinds import Noteable
from mujina.planning.notes.params import ListNotes
from mujina.planning.notes.rules import Sources, count_sources

_ORDERS = {
    "created_at": ascending("note.created_at", "note.id"),
    "updated_at": ascending("note.updated_at", "note.id"),
    "id": ascending("note.id"),
}


class NotesOf(NamedTuple):
    """The notes on one noteable that an actor may read."""

    notes: Selection
    sources: Sources

    async def total(self, tx: Tx) -> int:
        sourced = await self.notes.where("note.source_kind IS NOT NULL").total(tx) if self.sources.sourced else 0
        return self.sources.unsourced + sourced


async def about(tx: Tx, actor: Actor, noteable: Noteable) -> NotesOf:
    """The notes on this noteable that the actor may read."""
    sources = await count_sources(tx, noteable)
    notes = Selection(
        "notes note",
        f"note.noteable_kind = :noteable_kind AND note.noteable_id = :noteable_id AND {sources.readable.for_scan}",
        **noteable.bound,
        **actor.bound,
    )
    return NotesOf(notes, sources)


def order(query: ListNotes) -> Order:
    """The requested order; the id breaks ties in the same direction."""
    return _ORDERS[query.order_by].directed(query.sort)
