"""Notes as the API shows them, and the rows from which they are made."""

from collections.abc import Sequence
from typing import Any, LiteralString

import msgspec
from msgspec import UNSET, UnsetType

from mujina.accounts.users.entities import RefRow, UserRef, ref_of
from mujina.kernel.db.entities import Computed
from mujina.kernel.db.rows import Row


class Note(msgspec.Struct):
    id: int
    body: str
    attachment: None
    author: UserRef
    created_at: str
    updated_at: str
    system: bool
    noteable_id: Computed[int | None]
    """None for notes on commits."""
    noteable_type: Computed[str]
    noteable_iid: Computed[int | None]
    type: str | None | UnsetType = UNSET
    """`DiscussionNote`, or `DiffNote` for one about a line; only on merge requests, in lists only in newer API versions."""
    position: Any = UNSET
    """The line, or the point of an image, that a `DiffNote` is about."""
    suggestions: Any = UNSET
    """The changes of lines that a `DiffNote` suggests."""
    resolvable: bool | UnsetType = UNSET
    resolved: bool | UnsetType = UNSET
    resolved_by: UserRef | None | UnsetType = UNSET
    resolved_at: str | None | UnsetType = UNSET
    commands_changes: dict[str, Any] | UnsetType = UNSET
    """Empty: what commands changed is not kept."""


class NoteView(Row, alias="note", of=Note):
    """A note with its author (`u`)."""

    id: int
    body: str
    created_at: str
    updated_at: str
    system: bool
    discussion_id: str
    individual: bool
    resolved_at: str | None
    resolved_by_id: int | None
    author: RefRow


def shown_authors(rows: Sequence[NoteView]) -> dict[int, UserRef]:
    """The authors of these notes by id; one of several notes is made once."""
    return {id_: author.shown() for id_, author in {row.author.id: row.author for row in rows}.items()}


WRITTEN: LiteralString = f"{', '.join(NoteView.own_columns.values())}, {ref_of(':author_id')}"
"""The columns of a `NoteView` behind the RETURNING of the statement that inserts the note."""
