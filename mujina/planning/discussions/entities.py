"""Notes as they were said to one another."""

from typing import LiteralString

import msgspec

from mujina.kernel.db.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.paging import Page
from mujina.planning.notes.entities import COLUMNS, Note, ShownRow
from mujina.planning.notes.rules import Noteable


class Discussion(msgspec.Struct):
    id: str
    individual_note: bool
    """A single note that was not meant to be replied to."""
    notes: list[Note]


_PAGE: LiteralString = "GROUP BY note.discussion_id ORDER BY min(note.id)"


async def listed(tx: Tx, noteable: Noteable, chosen: Selection, page: Page) -> list[Discussion]:
    """One page of discussions, the oldest first, each whole."""
    ids: list[str] = await tx.values(
        f"SELECT note.discussion_id {chosen.text} {_PAGE} LIMIT :limit OFFSET :offset", **chosen.bound, **page.bound
    )
    return await _whole(tx, noteable, chosen, ids)


async def total(tx: Tx, chosen: Selection) -> int:
    """How many discussions these notes make up."""
    return await tx.value(f"SELECT count(DISTINCT note.discussion_id) {chosen.text}", **chosen.bound)


async def single(tx: Tx, noteable: Noteable, chosen: Selection, discussion_id: str) -> Discussion | None:
    """The discussion, if any of its notes is among those chosen."""
    return next(iter(await _whole(tx, noteable, chosen, [discussion_id])), None)


async def _whole(tx: Tx, noteable: Noteable, chosen: Selection, ids: list[str]) -> list[Discussion]:
    rows = await tx.rows(
        ShownRow,
        f"""SELECT {COLUMNS} FROM notes note JOIN users u ON u.id = note.author_id
            WHERE note.discussion_id IN :ids AND {chosen.where} ORDER BY note.id""",
        ids=ids,
        **chosen.bound,
    )
    found: dict[str, Discussion] = {}
    for row in rows:
        discussion = found.setdefault(row.discussion_id, Discussion(row.discussion_id, row.individual, []))
        discussion.notes.append(row.note(noteable))
    return [found[id_] for id_ in ids if id_ in found]
