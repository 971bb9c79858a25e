"""The todos of a user who is removed."""

from mujina.kernel.db.transaction import Tx
from mujina.kernel.removals import delete_batch, update_batch


async def reassign_to_ghost(tx: Tx, user_id: int, ghost_id: int) -> bool:
    """The ghost becomes the author of todos they gave to others; their own are deleted. False: call it again."""
    given = "SELECT todo.id FROM todos todo WHERE todo.author_id = :user_id AND todo.user_id <> :user_id"
    return await update_batch(
        tx, "todos", "author_id = :ghost_id", given, user_id=user_id, ghost_id=ghost_id
    ) and await _delete_own(tx, user_id)


async def erase(tx: Tx, user_id: int) -> bool:
    """Delete their own todos and those they gave to others. False: call it again for the rest."""
    given = "SELECT todo.id FROM todos todo WHERE todo.author_id = :user_id"
    return await delete_batch(tx, "todos", given, user_id=user_id) and await _delete_own(tx, user_id)


async def _delete_own(tx: Tx, user_id: int) -> bool:
    own = "SELECT todo.id FROM todos todo WHERE todo.user_id = :user_id"
    return await delete_batch(tx, "todos", own, user_id=user_id)
