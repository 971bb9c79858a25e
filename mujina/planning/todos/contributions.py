"""The todos of a user who is removed."""

from mujina.kernel.db.transaction import Tx
from mujina.kernel.removals import BATCH


async def give(tx: Tx, user_id: int, ghost_id: int) -> bool:
    """The ghost becomes the author of todos they gave to others; their own are deleted. False: call it again."""
    given = await tx.run(
        """
        UPDATE todos SET author_id = :ghost_id WHERE id IN (
            SELECT todo.id FROM todos todo WHERE todo.author_id = :user_id AND todo.user_id <> :user_id LIMIT :batch)
        """,
        user_id=user_id,
        ghost_id=ghost_id,
        batch=BATCH,
    )
    return given < BATCH and await _delete_own(tx, user_id)


async def erase(tx: Tx, user_id: int) -> bool:
    """Delete their own todos and those they gave to others. False: call it again for the rest."""
    deleted = await tx.run(
        "DELETE FROM todos WHERE id IN (SELECT todo.id FROM todos todo WHERE todo.author_id = :user_id LIMIT :batch)",
        user_id=user_id,
        batch=BATCH,
    )
    return deleted < BATCH and await _delete_own(tx, user_id)


async def _delete_own(tx: Tx, user_id: int) -> bool:
    deleted = await tx.run(
        "DELETE FROM todos WHERE id IN (SELECT todo.id FROM todos todo WHERE todo.user_id = :user_id LIMIT :batch)",
        user_id=user_id,
        batch=BATCH,
    )
    return deleted < BATCH
