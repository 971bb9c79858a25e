"""Lists of notes."""

from typing import LiteralString

from mujina.kernel.actor import Actor
from mujina.kernel.db.selection import Selection
from mujina.planning.notes.params import ListNotes
from mujina.planning.notes.rules import READ_NOTE, Noteable

_ORDERS: dict[str, LiteralString] = {"created_at": "note.created_at", "updated_at": "note.updated_at"}


def about(actor: Actor, noteable: Noteable) -> Selection:
    """Every note on this noteable that the actor may see."""
    return Selection(
        "notes note",
        f"note.noteable_kind = :noteable_kind AND note.noteable_id = :noteable_id AND {READ_NOTE.many}",
        **noteable.bound,
        **actor.bound,
    )


def order(query: ListNotes) -> LiteralString:
    """As asked; ties are broken by id in the same direction."""
    turn: LiteralString = "ASC" if query.sort == "asc" else "DESC"
    return f"{_ORDERS[query.order_by]} {turn}, note.id {turn}"
