"""Lists of notes."""

from typing import LiteralString

from mujina.kernel.actor import Actor
from mujina.kernel.db.selection import Selection
from mujina.kernel.noteables import Noteable
from mujina.planning.notes.params import ListNotes
from mujina.planning.notes.rules import READ_NOTE

_ORDERS: dict[str, LiteralString] = {"created_at": "note.created_at", "updated_at": "note.updated_at"}


def about(actor: Actor, noteable: Noteable) -> Selection:
    """The notes on this noteable that the actor may read."""
    return Selection(
        "notes note",
        f"note.noteable_kind = :noteable_kind AND note.noteable_id = :noteable_id AND {READ_NOTE.many}",
        **noteable.bound,
        **actor.bound,
    )


def order(query: ListNotes) -> LiteralString:
    """The requested order; the id breaks ties in the same direction."""
    direction: LiteralString = "ASC" if query.sort == "asc" else "DESC"
    return f"{_ORDERS[query.order_by]} {direction}, note.id {direction}"
