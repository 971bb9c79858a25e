"""Who may do what with a note, and the only way to find one."""

from typing import Annotated

import msgspec

from mujina.kernel import errors
from mujina.kernel.access import MASTER, OWNER
from mujina.kernel.actor import Actor
from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Tx
from mujina.kernel.rules import Condition, Rule, admin, asked
from mujina.planning.issues.rules import READ_ISSUE
from mujina.workspaces.members.access import master
from mujina.workspaces.projects.rules import READ_CODE


class Noteable(msgspec.Struct, frozen=True):
    """What a note is on: an issue, a snippet, a commit."""

    kind: str
    type: str
    """The kind as the API spells it: `Issue`."""
    id: int
    iid: int | None
    project_id: int | None
    path: str
    """The full path of the project."""
    author_id: int | None
    """None: the author of a commit may have no account."""
    confidential: bool
    level: int
    """The level of the actor in the project."""

    @property
    def bound(self) -> dict[str, str | int]:
        """As `:noteable_kind` and `:noteable_id`."""
        return {"noteable_kind": self.kind, "noteable_id": self.id}

    def owner(self, actor: Actor) -> bool:
        """Whether the actor may set dates."""
        return actor.admin or self.level >= OWNER


system = Condition("system", "note.system")
note_author = Condition("note_author", "(note.author_id = :actor)")
# A cross reference reveals its source, so only users who may read the source see it. A scalar subquery looks the source
# up by its key for each such note; PostgreSQL would turn EXISTS into a join over every issue.
source_readable = Condition(
    "source_readable",
    f"""(note.source_kind IS NULL OR coalesce((
        SELECT {READ_ISSUE.many} FROM issues i JOIN projects p ON p.id = i.project_id
        WHERE note.source_kind = 'issue' AND i.id = note.source_id
        AND i.deleted_at IS NULL AND p.deleted_at IS NULL), (
        SELECT {READ_CODE.many} FROM projects p
        WHERE note.source_kind = 'commit' AND p.id = note.source_id AND p.deleted_at IS NULL), FALSE))""",
)

READ_NOTE = source_readable
EDIT_NOTE = READ_NOTE & ~system & (note_author | master | admin)


class NoteRow(Row, alias="note"):
    """The columns that operations on a note need."""

    id: int
    author_id: int
    body: str
    discussion_id: str
    updated_at: str
    allowed: Annotated[bool, asked]


async def find_note(
    tx: Tx, actor: Actor, noteable: Noteable, note_id: int, *, to: Rule = READ_NOTE, discussion_id: str | None = None
) -> NoteRow:
    """The note, if it is on this noteable (and in this discussion) and the actor may do this with it."""
    facts: dict[Rule, bool] = {master: noteable.level >= MASTER, admin: actor.admin}
    note = await tx.row(
        NoteRow,
        f"""
        SELECT {NoteRow.columns_given({asked: to.given(facts)})} FROM notes note
        WHERE note.id = :note_id AND note.noteable_kind = :noteable_kind AND note.noteable_id = :noteable_id
        AND note.discussion_id = coalesce(CAST(:discussion_id AS text), note.discussion_id) AND {READ_NOTE.one}
        """,
        note_id=note_id,
        discussion_id=discussion_id,
        **noteable.bound,
        **actor.bound,
    )
    if note is None:
        raise errors.not_found("Note")
    if not note.allowed:
        raise errors.forbidden()
    return note
