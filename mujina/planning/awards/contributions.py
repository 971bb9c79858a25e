"""The awards of a user who is removed."""

from mujina.kernel.db.transaction import Tx
from mujina.kernel.removals import BATCH


async def give(tx: Tx, user_id: int, ghost_id: int) -> bool:
    """The ghost becomes their giver; each emoji stays unique per awardable. False: call it again for the rest."""
    await _delete_snippet_awards(tx, user_id)
    given = await tx.run(
        """
        UPDATE awards SET user_id = :ghost_id WHERE id IN (
            SELECT award.id FROM awards award WHERE award.user_id = :user_id AND NOT EXISTS (
                SELECT 1 FROM awards same WHERE same.subject_kind = award.subject_kind
                AND same.subject_id = award.subject_id AND same.name = award.name AND same.user_id = :ghost_id)
            ORDER BY award.id LIMIT :batch)
        """,
        user_id=user_id,
        ghost_id=ghost_id,
        batch=BATCH,
    )
    return given < BATCH and await _delete(tx, user_id)


async def erase(tx: Tx, user_id: int) -> bool:
    """Delete them. False: call it again for the rest."""
    await _delete_snippet_awards(tx, user_id)
    return await _delete(tx, user_id)


async def _delete(tx: Tx, user_id: int) -> bool:
    deleted = await tx.run(
        "DELETE FROM awards WHERE id IN (SELECT a.id FROM awards a WHERE a.user_id = :user_id ORDER BY a.id LIMIT :batch)",
        user_id=user_id,
        batch=BATCH,
    )
    return deleted < BATCH


async def _delete_snippet_awards(tx: Tx, user_id: int) -> None:
    await tx.run(
        """DELETE FROM awards WHERE subject_kind = 'snippet'
           AND subject_id IN (SELECT s.id FROM snippets s WHERE s.author_id = :user_id)""",
        user_id=user_id,
    )
