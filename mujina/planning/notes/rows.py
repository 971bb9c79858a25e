"""The rows from which notes are shown."""

from typing import Annotated, LiteralString

from mujina.accounts.users.entities import REF, RefRow, ref_of


class NoteView(RefRow):
    """A note with its author (`u`)."""

    note_id: Annotated[int, "note.id"]
    body: Annotated[str, "note.body"]
    created_at: Annotated[str, "note.created_at"]
    updated_at: Annotated[str, "note.updated_at"]
    system: Annotated[bool, "note.system"]
    discussion_id: Annotated[str, "note.discussion_id"]
    individual: Annotated[bool, "note.individual"]
    resolved_at: Annotated[str | None, "note.resolved_at"]
    resolved_by_id: Annotated[int | None, "note.resolved_by_id"]


WRITTEN: LiteralString = NoteView.columns.replace(REF, ref_of(":author_id")).replace("note.", "")
"""The columns of a `NoteView` behind the RETURNING of the statement that inserts the note."""
