"""The number of comments on an issue."""

from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import Event

_STEPS = {"note.created": 1, "note.deleted": -1}


async def count_notes(tx: Tx, event: Event) -> None:
    """Keep `user_notes_count` exact; a new comment also updates the issue."""
    if event.changes["noteable_kind"] == "issue":
        await tx.run(
            """UPDATE issues SET user_notes_count = user_notes_count + :step,
               updated_at = CASE WHEN :step = 1 THEN :now ELSE updated_at END WHERE id = :id""",
            id=event.changes["noteable_id"], step=_STEPS[event.kind], now=event.created_at,
        )  # fmt: skip


async def recount(tx: Tx, issue_ids: list[int]) -> None:
    """Count again after many notes were deleted at once."""
    await tx.run(
        """UPDATE issues SET user_notes_count = (
               SELECT count(*) FROM notes note
               WHERE note.noteable_kind = 'issue' AND note.noteable_id = issues.id AND NOT note.system)
           WHERE id IN :ids""",
        ids=issue_ids,
    )
