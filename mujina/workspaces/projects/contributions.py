"""The projects that a user who is removed created in groups."""

from mujina.accounts.users.ghost import ghost
from mujina.kernel.db.transaction import Tx
from mujina.kernel.removals import BATCH


async def give(tx: Tx, user_id: int, ghost_id: int) -> bool:
    """The ghost becomes their creator. False: call it again for the rest."""
    given = await tx.run(
        """UPDATE projects SET creator_id = :ghost_id
           WHERE id IN (SELECT p.id FROM projects p WHERE p.creator_id = :user_id LIMIT :batch)""",
        user_id=user_id, ghost_id=ghost_id, batch=BATCH,
    )  # fmt: skip
    return given < BATCH


async def erase(tx: Tx, user_id: int) -> bool:
    """They belong to their groups and outlive even a hard removal: the ghost becomes their creator."""
    if await tx.value("SELECT 1 FROM projects p WHERE p.creator_id = :user_id LIMIT 1", user_id=user_id) is None:
        return True
    return await give(tx, user_id, await ghost(tx))
