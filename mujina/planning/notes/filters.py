"""Lists of notes."""

from mujina.kernel.db.selection import Selection
from mujina.kernel.db.sql import Order, ascending
from mujina.kernel.db.transaction import Tx
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.permissions.rules import Rule
from mujina.planning.noteables.kinds import Noteable
from mujina.planning.notes.params import ListNotes
from mujina.planning.notes.rules import READ_NOTE, count_sources

_ORDERS = {
    "created_at": ascending("note.created_at", "note.id"),
    "updated_at": ascending("note.updated_at", "note.id"),
    "id": ascending("note.id"),
}


class NoteSelection(Selection):
    """Notes on one noteable, and how many of them have no source."""

    unsourced: int = 0
    sourced: bool = True
    readable: Rule = READ_NOTE
    """`READ_NOTE` about these notes."""

    async def total(self, tx: Tx) -> int:
        if not self.sourced:
            return self.unsourced
        sourced: int = await tx.value(f"{self.count} AND note.source_kind IS NOT NULL", **self.bound)
        return self.unsourced + sourced


async def about(tx: Tx, actor: Actor, noteable: Noteable) -> NoteSelection:
    """The notes on this noteable that the actor may read."""
    counted = await count_sources(tx, noteable)
    chosen = NoteSelection(
        "notes note",
        f"note.noteable_kind = :noteable_kind AND note.noteable_id = :noteable_id AND {counted.readable.many}",
        **noteable.bound,
        **actor.bound,
    )
    chosen.unsourced, chosen.sourced, chosen.readable = counted.unsourced, counted.sourced, counted.readable
    return chosen


def order(query: ListNotes) -> Order:
    """The requested order; the id breaks ties in the same direction."""
    return _ORDERS[query.order_by].directed(query.sort)
