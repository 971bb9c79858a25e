"""The rules of notes, and the only way to find one."""

from functools import cache
from typing import Annotated, LiteralString, NamedTuple

import msgspec

from mujina.kernel import errors
from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Tx
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.permissions.rules import REQUESTED, Condition, Rule
from mujina.kernel.product import Product
from mujina.planning.noteables.kinds import Noteable, note_sources, read_noteable
from mujina.workspaces.projects.rules import READ_CODE

system = Condition("system", "note.system")
note_author = Condition("note_author", "(note.author_id = :actor)")
moderator = Condition("moderator", "FALSE")
"""Masters of the project: the look-up of the noteable knows."""
resolver = Condition("resolver", "FALSE")
"""The actor may resolve discussions: the look-up of the noteable knows."""
unsourced = Condition("unsourced", "(note.source_kind IS NULL)")
# A cross reference reveals its source, so only users who may read the source see it.
source_readable = Condition("source_readable", "FALSE")
"""The rules of the kinds of sources: `read_note` puts them there."""

READ_NOTE = unsourced | source_readable
EDIT_NOTE = READ_NOTE & ~system & (note_author | moderator)
RESOLVE_NOTE = READ_NOTE & (note_author | resolver)


class Sources(NamedTuple):
    """The facts about the notes on one noteable that are known before they are read."""

    unsourced: int
    """How many have no source."""
    sourced: bool
    """Whether some have one."""
    readable: Rule
    """`READ_NOTE` with the rules of those kinds of sources alone that the notes have."""


async def count_sources(tx: Tx, noteable: Noteable) -> Sources:
    """Count the notes without a source, and find the kinds of sources of the others. The number of all notes is kept."""
    found = noteable.note_sources or await tx.value(_SOURCES, **noteable.bound)
    numbers = dict(_read_numbers(found))
    without = numbers.pop(None) - sum(numbers.values())
    kinds = frozenset(kind for kind in numbers if kind is not None)
    return Sources(without, bool(kinds), read_note(tx.product, kinds) if kinds else unsourced)


_SOURCES: LiteralString = f"SELECT {note_sources(':noteable_kind', ':noteable_id')}"
_read_numbers = msgspec.json.Decoder(list[tuple[str | None, int]]).decode


@cache
def read_note(product: Product, among: frozenset[str] | None = None) -> Rule:
    """`READ_NOTE` with the rules of these kinds of sources, by default of all."""
    others: dict[str, LiteralString] = {"commit": _COMMIT_IS_READABLE}
    readable = read_noteable(product, "note.source_kind", "note.source_id", others=others, among=among)
    return READ_NOTE.assuming({source_readable: readable})


_COMMIT_IS_READABLE: LiteralString = f"""(SELECT {READ_CODE.for_scan} FROM projects p
    WHERE note.source_kind = 'commit' AND p.id = note.source_id AND p.deleted_at IS NULL)"""


class NoteRow(Row, alias="note"):
    """The columns that operations on a note need."""

    id: int
    author_id: int
    body: str
    updated_at: str
    resolvable: Annotated[bool, "(NOT note.system AND NOT note.individual)"]
    sourced: Annotated[bool, "(note.source_kind IS NOT NULL)"]
    allowed: Annotated[bool, REQUESTED]


async def find_note(
    tx: Tx, actor: Actor, noteable: Noteable, note_id: int, *, to: Rule = READ_NOTE, discussion_id: str | None = None
) -> NoteRow:
    """The note, if it is on this noteable (and in this discussion) and the actor may do this with it."""
    facts: dict[Rule, bool] = {READ_NOTE: True, moderator: noteable.moderated, resolver: noteable.resolver}
    note = await tx.row(
        NoteRow,
        f"""
        SELECT {NoteRow.columns_assuming({REQUESTED: to.assuming(facts)})} FROM notes note
        WHERE note.id = :note_id AND note.noteable_kind = :noteable_kind AND note.noteable_id = :noteable_id
        AND note.discussion_id = coalesce(CAST(:discussion_id AS text), note.discussion_id)
        """,
        note_id=note_id,
        discussion_id=discussion_id,
        **noteable.bound,
        **actor.bound,
    )
    if note is None or (note.sourced and not await _source_is_readable(tx, actor, note_id)):
        raise errors.not_found("Note")
    if not note.allowed:
        raise errors.forbidden()
    return note


async def _source_is_readable(tx: Tx, actor: Actor, note_id: int) -> bool:
    """Asked for cross references alone: with the rules of every kind of source, PostgreSQL needs 30 ms to plan it."""
    return await tx.value(
        f"SELECT {read_note(tx.product).for_row} FROM notes note WHERE note.id = :id", id=note_id, **actor.bound
    )
