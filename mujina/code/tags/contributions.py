"""The releases that a user who is removed has written: they stay, because they are the project's."""

from mujina.kernel.db.transaction import Tx


async def reassign_to_ghost(tx: Tx, user_id: int, ghost_id: int) -> None:
    await tx.run("UPDATE releases SET author_id = :ghost_id WHERE author_id = :id", ghost_id=ghost_id, id=user_id)


async def erase(tx: Tx, user_id: int) -> None:
    """The releases have no author any more."""
    await tx.run("UPDATE releases SET author_id = NULL WHERE author_id = :id", id=user_id)
