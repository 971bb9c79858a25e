"""The snippets of a user who is removed."""

from mujina.kernel.db.transaction import Tx
from mujina.kernel.removals import delete_batch


async def reassign_to_ghost(tx: Tx, user_id: int, _ghost_id: int) -> bool:
    """The ghost gets none: a snippet is its author's alone."""
    return await erase(tx, user_id)


async def erase(tx: Tx, user_id: int) -> bool:
    """Delete them, after their notes and awards. False: call it again for the rest."""
    written = "SELECT s.id FROM snippets s WHERE s.author_id = :user_id"
    return await delete_batch(tx, "snippets", written, user_id=user_id)
