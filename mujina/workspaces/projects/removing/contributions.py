"""The projects that a user who is removed created in groups."""

from mujina.accounts.users.removing.ghost import ghost
from mujina.kernel.db.transaction import Tx
from mujina.kernel.removals import update_batch


async def reassign_to_ghost(tx: Tx, user_id: int, ghost_id: int) -> bool:
    """The ghost becomes their creator. False: call it again for the rest."""
    created = "SELECT p.id FROM projects p WHERE p.creator_id = :user_id"
    return await update_batch(tx, "projects", "creator_id = :ghost_id", created, user_id=user_id, ghost_id=ghost_id)


async def erase(tx: Tx, user_id: int) -> bool:
    """They belong to their groups and outlive even a hard removal: the ghost becomes their creator."""
    if await tx.value("SELECT 1 FROM projects p WHERE p.creator_id = :user_id LIMIT 1", user_id=user_id) is None:
        return True
    return await reassign_to_ghost(tx, user_id, await ghost(tx))
