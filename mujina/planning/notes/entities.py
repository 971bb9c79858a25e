"""Notes as the API shows them."""

from typing import Annotated, LiteralString

import msgspec

from mujina.accounts.users.entities import RefRow, UserRef
from mujina.kernel import errors
from mujina.kernel.db.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.noteables import Noteable
from mujina.kernel.paging import Page


class Note(msgspec.Struct):
    id: int
    body: str
    attachment: None
    author: UserRef
    created_at: str
    updated_at: str
    system: bool
    noteable_id: int | None
    """None for notes on commits."""
    noteable_type: str
    noteable_iid: int | None


class NoteView(RefRow):
    """A note with its author (`u`)."""

    note_id: Annotated[int, "note.id"]
    body: Annotated[str, "note.body"]
    created_at: Annotated[str, "note.created_at"]
    updated_at: Annotated[str, "note.updated_at"]
    system: Annotated[bool, "note.system"]
    discussion_id: Annotated[str, "note.discussion_id"]
    individual: Annotated[bool, "note.individual"]

    def note(self, noteable: Noteable) -> Note:
        return Note(
            self.note_id, self.body, None, self.shown(), self.created_at, self.updated_at, self.system,
            noteable.id, noteable.type, noteable.iid,
        )  # fmt: skip


class IssueNoteView(NoteView):
    """A note with the issue (`i`) that it is on."""

    issue_id: Annotated[int, "i.id"]
    issue_iid: Annotated[int, "i.iid"]


async def listed(tx: Tx, noteable: Noteable, chosen: Selection, order: LiteralString, page: Page) -> list[Note]:
    """One page of the notes on one noteable."""
    rows = await tx.rows(
        NoteView,
        f"""
        SELECT {NoteView.columns} FROM notes note JOIN users u ON u.id = note.author_id
        WHERE note.id IN (SELECT note.id {chosen.text} ORDER BY {order} LIMIT :limit OFFSET :offset)
        ORDER BY {order}
        """,
        **chosen.bound,
        **page.bound,
    )
    return [row.note(noteable) for row in rows]


async def found(tx: Tx, chosen: Selection, page: Page) -> list[Note]:
    """One page of notes on different issues, the newest first."""
    rows = await tx.rows(
        IssueNoteView,
        f"""
        SELECT {IssueNoteView.columns} FROM notes note JOIN users u ON u.id = note.author_id
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
    """One note; 404 if it was deleted in the meantime."""
    row = await tx.row(
        NoteView,
        f"SELECT {NoteView.columns} FROM notes note JOIN users u ON u.id = note.author_id WHERE note.id = :id",
        id=note_id,
    )
    if row is None:
        raise errors.not_found("Note")
    return row.note(noteable)
