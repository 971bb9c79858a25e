"""What a person gave others to do, when they leave the instance."""

from mujina.kernel.db.transaction import Tx


async def give(tx: Tx, user_id: int, heir_id: int) -> None:
    """Others still have it to do; it came from the heir. Nothing is left for the person themselves."""
    await tx.run("DELETE FROM todos WHERE user_id = :user_id", user_id=user_id)
    await tx.run("UPDATE todos SET author_id = :heir_id WHERE author_id = :user_id", user_id=user_id, heir_id=heir_id)


async def erase(tx: Tx, user_id: int) -> None:
    """Nothing that came from them is left to do."""
    await tx.run("DELETE FROM todos WHERE user_id = :user_id OR author_id = :user_id", user_id=user_id)
