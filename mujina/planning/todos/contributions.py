"""The todos of a user who is removed."""

from mujina.kernel.db.transaction import Tx


async def give(tx: Tx, user_id: int, ghost_id: int) -> None:
    """The ghost becomes the author of todos they gave to others; their own todos are deleted."""
    await tx.run("DELETE FROM todos WHERE user_id = :user_id", user_id=user_id)
    await tx.run(
        "UPDATE todos SET author_id = :ghost_id WHERE author_id = :user_id", user_id=user_id, ghost_id=ghost_id
    )


async def erase(tx: Tx, user_id: int) -> None:
    """Delete their own todos and those they gave to others."""
    await tx.run("DELETE FROM todos WHERE user_id = :user_id OR author_id = :user_id", user_id=user_id)
