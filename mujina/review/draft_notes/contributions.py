"""The draft notes of a user who is removed: no other user has ever seen them."""

from mujina.kernel.db.transaction import Tx


async def reassign_to_ghost(tx: Tx, user_id: int, ghost_id: int) -> None:  # noqa: ARG001 - the ghost publishes nothing
    """Delete them."""
    await erase(tx, user_id)


async def erase(tx: Tx, user_id: int) -> None:
    """Delete them."""
    await tx.run("DELETE FROM draft_notes WHERE author_id = :user_id", user_id=user_id)
