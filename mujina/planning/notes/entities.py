"""What is shown of a note."""

from typing import LiteralString

import msgspec

from mujina.accounts.users.entities import REF, RefRow, UserRef
from mujina.kernel import errors
from mujina.kernel.db.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.paging import Page
from mujina.planning.notes.rules import Noteable


class Note(msgspec.Struct):
    id: int
    body: str
    attachment: None
    author: UserRef
    created_at: str
    updated_at: str
    system: bool
    noteable_id: int | None
    """None: a commit's."""
    noteable_type: str
    noteable_iid: int | None


class ShownRow(RefRow):
    """The columns of `COLUMNS`."""

    note_id: int
    body: str
    created_at: str
    updated_at: str
    system: bool
    discussion_id: str
    individual: bool

    def note(self, noteable: Noteable) -> Note:
        return Note(
            self.note_id, self.body, None, self.shown(), self.created_at, self.updated_at, self.system,
            noteable.id, noteable.type, noteable.iid,
        )  # fmt: skip


class FoundRow(ShownRow):
    issue_id: int
    issue_iid: int


COLUMNS: LiteralString = f"""{REF}, note.id, note.body, note.created_at, note.updated_at, note.system,
    note.discussion_id, note.individual"""


async def listed(tx: Tx, noteable: Noteable, chosen: Selection, order: LiteralString, page: Page) -> list[Note]:
    """One page of the notes on one noteable."""
    rows = await tx.rows(
        ShownRow,
        f"""
        SELECT {COLUMNS} FROM notes note JOIN users u ON u.id = note.author_id
        WHERE note.id IN (SELECT note.id {chosen.text} ORDER BY {order} LIMIT :limit OFFSET :offset)
        ORDER BY {order}
        """,
        **chosen.bound,
        **page.bound,
    )
    return [row.note(noteable) for row in rows]


async def found(tx: Tx, chosen: Selection, page: Page) -> list[Note]:
    """One page of notes on issues, whichever they are on, the newest first."""
    rows = await tx.rows(
        FoundRow,
        f"""
        SELECT {COLUMNS}, i.id, i.iid FROM notes note JOIN users u ON u.id = note.author_id
        JOIN issues i ON i.id = note.noteable_id
        WHERE note.id IN (SELECT note.id {chosen.text} ORDER BY note.id DESC LIMIT :limit OFFSET :offset)
        ORDER BY note.id DESC
        """,
        **chosen.bound,
        **page.bound,
    )
    return [
        Note(
            row.note_id, row.body, None, row.shown(), row.created_at, row.updated_at, row.system, row.issue_id,
            "Issue", row.issue_iid,
        )
        for row in rows
    ]  # fmt: skip


async def single(tx: Tx, noteable: Noteable, note_id: int) -> Note:
    """One note; it may have been deleted since it was found."""
    row = await tx.row(
        ShownRow,
        f"SELECT {COLUMNS} FROM notes note JOIN users u ON u.id = note.author_id WHERE note.id = :id",
        id=note_id,
    )
    if row is None:
        raise errors.not_found("Note")
    return row.note(noteable)
