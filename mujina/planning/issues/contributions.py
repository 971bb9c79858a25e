"""The issues of a user who is removed."""

from mujina.kernel.db.transaction import Tx


async def give(tx: Tx, user_id: int, ghost_id: int) -> None:
    """The ghost becomes the author of their issues; their assignments end."""
    await tx.run(
        "UPDATE issues SET author_id = :ghost_id WHERE author_id = :user_id", user_id=user_id, ghost_id=ghost_id
    )
    await tx.run("DELETE FROM issue_assignees WHERE user_id = :user_id", user_id=user_id)


async def erase(tx: Tx, user_id: int) -> None:
    """Delete the rows of their issues; no iid is used again."""
    await tx.run("DELETE FROM issues WHERE author_id = :user_id", user_id=user_id)
