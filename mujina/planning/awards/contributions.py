"""The awards of a user who is removed."""

from mujina.kernel.db.transaction import Tx


async def give(tx: Tx, user_id: int, ghost_id: int) -> None:
    """The ghost becomes their giver; each emoji stays unique per awardable."""
    await tx.run(
        """
        UPDATE awards SET user_id = :ghost_id WHERE user_id = :user_id AND NOT EXISTS (
            SELECT 1 FROM awards same WHERE same.subject_kind = awards.subject_kind
            AND same.subject_id = awards.subject_id AND same.name = awards.name AND same.user_id = :ghost_id)
        """,
        user_id=user_id,
        ghost_id=ghost_id,
    )
    await erase(tx, user_id)


async def erase(tx: Tx, user_id: int) -> None:
    await tx.run("DELETE FROM awards WHERE user_id = :user_id", user_id=user_id)
