"""The number of comments on a merge request."""

from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import Event

_STEPS = {"note.created": 1, "note.deleted": -1}


async def count_notes(tx: Tx, event: Event) -> None:
    """Keep `user_notes_count` exact; a new comment also updates the request."""
    if event.changes["noteable_kind"] == "merge_request":
        await tx.run(
            """UPDATE merge_requests SET user_notes_count = user_notes_count + :step,
               updated_at = CASE WHEN :step = 1 THEN :now ELSE updated_at END WHERE id = :id""",
            id=event.changes["noteable_id"], step=_STEPS[event.kind], now=event.created_at,
        )  # fmt: skip


async def recount(tx: Tx, request_ids: list[int]) -> None:
    """Count again after many notes were deleted at once."""
    await tx.run(
        """UPDATE merge_requests SET user_notes_count = (
               SELECT count(*) FROM notes note WHERE note.noteable_kind = 'merge_request'
               AND note.noteable_id = merge_requests.id AND NOT note.system)
           WHERE id IN :ids""",
        ids=request_ids,
    )
