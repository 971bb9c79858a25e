"""Discussions: notes and their replies, as the API shows them."""

from typing import LiteralString

import msgspec

from mujina.kernel import errors
from mujina.kernel.actor import Actor
from mujina.kernel.db.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.noteables import Noteable
from mujina.kernel.paging import Page
from mujina.planning.notes import filters
from mujina.planning.notes.entities import Note, NoteView, with_details


class Discussion(msgspec.Struct):
    id: str
    individual_note: bool
    """Whether this is a plain comment and not a thread."""
    notes: list[Note]


_PAGE: LiteralString = "GROUP BY note.discussion_id ORDER BY min(note.id)"


async def listed(tx: Tx, noteable: Noteable, chosen: Selection, page: Page) -> list[Discussion]:
    """One page of discussions with all their notes, the oldest first."""
    ids: list[str] = await tx.values(
        f"SELECT note.discussion_id {chosen.text} {_PAGE} LIMIT :limit OFFSET :offset", **chosen.bound, **page.bound
    )
    return await _with_notes(tx, noteable, chosen, ids)


async def total(tx: Tx, chosen: Selection) -> int:
    """The number of discussions among these notes."""
    return await tx.value(f"SELECT count(DISTINCT note.discussion_id) {chosen.text}", **chosen.bound)


async def single(tx: Tx, noteable: Noteable, chosen: Selection, discussion_id: str) -> Discussion | None:
    """The discussion, if the selection contains one of its notes."""
    return next(iter(await _with_notes(tx, noteable, chosen, [discussion_id])), None)


async def find_discussion(tx: Tx, actor: Actor, noteable: Noteable, discussion_id: str) -> Discussion:
    """The discussion with those of its notes that the actor may read; 404 if there are none."""
    found = await single(tx, noteable, await filters.about(tx, actor, noteable), discussion_id)
    if found is None:
        raise errors.not_found("Discussion")
    return found


async def _with_notes(tx: Tx, noteable: Noteable, chosen: Selection, ids: list[str]) -> list[Discussion]:
    rows = await tx.rows(
        NoteView,
        f"""SELECT {NoteView.columns} FROM notes note JOIN users u ON u.id = note.author_id
            WHERE note.discussion_id IN :ids AND {chosen.where} ORDER BY note.id""",
        ids=ids,
        **chosen.bound,
    )
    found: dict[str, Discussion] = {}
    for row, note in zip(rows, await with_details(tx, noteable, rows), strict=True):
        discussion = found.setdefault(row.discussion_id, Discussion(row.discussion_id, row.individual, []))
        discussion.notes.append(note)
    return [found[id_] for id_ in ids if id_ in found]
