"""The issues of a user who is removed."""

from typing import LiteralString

from mujina.kernel.db.transaction import Tx
from mujina.kernel.removals import BATCH, delete_batch, update_batch

_WRITTEN: LiteralString = "SELECT i.id FROM issues i WHERE i.author_id = :user_id AND i.deleted_at IS NULL"


async def reassign_to_ghost(tx: Tx, user_id: int, ghost_id: int) -> bool:
    """The ghost becomes the author of their issues; their assignments end. False: call it again for the rest.

    `reassign_deleted` does the same to deleted issues, which no index of authors holds.
    """
    return await update_batch(
        tx, "issues", "author_id = :ghost_id", _WRITTEN, user_id=user_id, ghost_id=ghost_id
    ) and await _unassign(tx, user_id)


async def reassign_deleted(tx: Tx, user_id: int, ghost_id: int) -> None:
    await tx.run(
        "UPDATE issues SET author_id = :ghost_id WHERE author_id = :user_id", user_id=user_id, ghost_id=ghost_id
    )


async def erase(tx: Tx, user_id: int) -> bool:
    """Delete the rows of their issues; no iid is used again. False: call it again for the rest."""
    return await delete_batch(tx, "issues", _WRITTEN, user_id=user_id) and await _unassign(tx, user_id)


async def _unassign(tx: Tx, user_id: int) -> bool:
    ended = await tx.run(
        """
        DELETE FROM issue_assignees WHERE user_id = :user_id AND issue_id IN (
            SELECT a.issue_id FROM issue_assignees a WHERE a.user_id = :user_id LIMIT :batch)
        """,
        user_id=user_id,
        batch=BATCH,
    )
    return ended < BATCH
