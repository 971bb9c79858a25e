"""The emoji a person gave, when they leave the instance."""

from mujina.kernel.db.transaction import Tx


async def give(tx: Tx, user_id: int, heir_id: int) -> None:
    """Their emoji are the heir's, who gives each only once."""
    await tx.run(
        """
        UPDATE awards SET user_id = :heir_id WHERE user_id = :user_id AND NOT EXISTS (
            SELECT 1 FROM awards given WHERE given.subject_kind = awards.subject_kind
            AND given.subject_id = awards.subject_id AND given.name = awards.name AND given.user_id = :heir_id)
        """,
        user_id=user_id,
        heir_id=heir_id,
    )
    await erase(tx, user_id)


async def erase(tx: Tx, user_id: int) -> None:
    """Their emoji are gone."""
    await tx.run("DELETE FROM awards WHERE user_id = :user_id", user_id=user_id)
