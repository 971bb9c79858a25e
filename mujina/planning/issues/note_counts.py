"""What becomes of an issue when people comment on it."""

from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import Event

_STEPS = {"note.created": 1, "note.deleted": -1}


async def count_notes(tx: Tx, event: Event) -> None:
    """`user_notes_count` is exact, and a comment is an update of its issue."""
    if event.changes["noteable_kind"] == "issue":
        await tx.run(
            """UPDATE issues SET user_notes_count = user_notes_count + :step,
               updated_at = CASE WHEN :step = 1 THEN :now ELSE updated_at END WHERE id = :id""",
            id=event.changes["noteable_id"], step=_STEPS[event.kind], now=event.created_at,
        )  # fmt: skip


async def recount(tx: Tx, issue_ids: list[int]) -> None:
    """`user_notes_count` of these issues is exact again after many notes went at once."""
    await tx.run(
        """UPDATE issues SET user_notes_count = (
               SELECT count(*) FROM notes said
               WHERE said.noteable_kind = 'issue' AND said.noteable_id = issues.id AND NOT said.system)
           WHERE id IN :ids""",
        ids=issue_ids,
    )
