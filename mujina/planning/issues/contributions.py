"""The issues a person opened, when they leave the instance."""

from mujina.kernel.db.transaction import Tx


async def give(tx: Tx, user_id: int, heir_id: int) -> None:
    """Their issues are the heir's; nothing is assigned to them any more."""
    await tx.run("UPDATE issues SET author_id = :heir_id WHERE author_id = :user_id", user_id=user_id, heir_id=heir_id)
    await tx.run("DELETE FROM issue_assignees WHERE user_id = :user_id", user_id=user_id)


async def erase(tx: Tx, user_id: int) -> None:
    """Their issues are gone, rows and all; no iid is used again."""
    await tx.run("DELETE FROM issues WHERE author_id = :user_id", user_id=user_id)
