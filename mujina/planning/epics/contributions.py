"""The epics of a user who is removed."""

from mujina.kernel.db.transaction import Tx
from mujina.kernel.removals import BATCH, update_batch
from mujina.planning.epics.removal import delete_epics


async def reassign_to_ghost(tx: Tx, user_id: int, ghost_id: int) -> bool:
    """The ghost becomes the author of their epics. False: call it again for the rest."""
    written = "SELECT e.id FROM epics e WHERE e.author_id = :user_id"
    return await update_batch(tx, "epics", "author_id = :ghost_id", written, user_id=user_id, ghost_id=ghost_id)


async def erase(tx: Tx, user_id: int) -> bool:
    """Delete their epics; the issues of the epics stay. False: call it again for the rest."""
    ids: list[int] = await tx.values(
        "SELECT e.id FROM epics e WHERE e.author_id = :user_id LIMIT :batch", user_id=user_id, batch=BATCH
    )
    await delete_epics(tx, ids)
    return len(ids) < BATCH
