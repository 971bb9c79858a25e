"""Who may do what with a note, and the only way to get one."""

import msgspec

from mujina.kernel import errors
from mujina.kernel.access import GUEST, MASTER, OWNER
from mujina.kernel.actor import Actor
from mujina.kernel.db.transaction import Tx
from mujina.kernel.rules import Condition, Rule, admin
from mujina.planning.issues.rules import READ_ISSUE
from mujina.workspaces.members.access import master
from mujina.workspaces.projects.rules import READ_CODE


class Noteable(msgspec.Struct, frozen=True):
    """What a note is about, as far as notes care: any slice whose things are commented on says this much of them."""

    kind: str
    type: str
    """How the API calls the kind: `Issue`."""
    id: int
    iid: int | None
    project_id: int | None
    path: str
    """The full path of the project."""
    author_id: int | None
    """None: nobody of this instance."""
    confidential: bool
    level: int
    """The actor's level there."""

    @property
    def bound(self) -> dict[str, str | int]:
        """As `:noteable_kind` and `:noteable_id`."""
        return {"noteable_kind": self.kind, "noteable_id": self.id}

    def member(self, actor: Actor) -> bool:
        return actor.admin or self.level >= GUEST

    def owner(self, actor: Actor) -> bool:
        """May set dates."""
        return actor.admin or self.level >= OWNER


system = Condition("system", "note.system")
note_author = Condition("note_author", "(note.author_id = :actor)")
# A cross reference tells that its source exists, so it is for those who may read the source. A scalar subquery: it is
# asked for each such note by the key of its source, where PostgreSQL would turn EXISTS into a join over every issue.
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


class NoteRow(msgspec.Struct, array_like=True, frozen=True):
    """What operations need to know of a note they act on."""

    id: int
    noteable_kind: str
    noteable_id: int
    project_id: int | None
    author_id: int
    body: str
    system: bool
    discussion_id: str
    individual: bool
    updated_at: str


async def find_note(
    tx: Tx, actor: Actor, noteable: Noteable, note_id: int, *, to: Rule = READ_NOTE, discussion_id: str | None = None
) -> NoteRow:
    """The note, if it is about this noteable (and in this discussion) and the actor may do this with it."""
    facts: dict[Rule, bool] = {master: noteable.level >= MASTER, admin: actor.admin}
    row = await tx.row(
        tuple[bool, int, str, int, int | None, int, str, bool, str, bool, str],
        f"""
        SELECT {to.given(facts).one}, note.id, note.noteable_kind, note.noteable_id, note.project_id, note.author_id,
               note.body, note.system, note.discussion_id, note.individual, note.updated_at
        FROM notes note
        WHERE note.id = :note_id AND note.noteable_kind = :noteable_kind AND note.noteable_id = :noteable_id
        AND note.discussion_id = coalesce(CAST(:discussion_id AS text), note.discussion_id) AND {READ_NOTE.one}
        """,
        note_id=note_id,
        discussion_id=discussion_id,
        **noteable.bound,
        **actor.bound,
    )
    if row is None:
        raise errors.not_found("Note")
    if not row[0]:
        raise errors.forbidden()
    return NoteRow(*row[1:])
