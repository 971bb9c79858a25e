"""The issues of a user who is removed."""

from mujina.kernel.db.transaction import Tx
from mujina.kernel.removals import BATCH


async def give(tx: Tx, user_id: int, ghost_id: int) -> bool:
    """The ghost becomes the author of their issues; their assignments end. False: call it again for the rest.

    `give_deleted` does the same to deleted issues, which no index of authors holds.
    """
    given = await tx.run(
        """
        UPDATE issues SET author_id = :ghost_id WHERE id IN (
            SELECT i.id FROM issues i WHERE i.author_id = :user_id AND i.deleted_at IS NULL LIMIT :batch)
        """,
        user_id=user_id,
        ghost_id=ghost_id,
        batch=BATCH,
    )
    return given < BATCH and await _unassign(tx, user_id)


async def give_deleted(tx: Tx, user_id: int, ghost_id: int) -> None:
    await tx.run(
        "UPDATE issues SET author_id = :ghost_id WHERE author_id = :user_id", user_id=user_id, ghost_id=ghost_id
    )


async def erase(tx: Tx, user_id: int) -> bool:
    """Delete the rows of their issues; no iid is used again. False: call it again for the rest."""
    deleted = await tx.run(
        """
        DELETE FROM issues WHERE id IN (
            SELECT i.id FROM issues i WHERE i.author_id = :user_id AND i.deleted_at IS NULL LIMIT :batch)
        """,
        user_id=user_id,
        batch=BATCH,
    )
    return deleted < BATCH and await _unassign(tx, user_id)


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
