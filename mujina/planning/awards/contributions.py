"""The awards of a user who is removed."""

from mujina.kernel.db.transaction import Tx
from mujina.kernel.removals import delete_batch, update_batch


async def reassign_to_ghost(tx: Tx, user_id: int, ghost_id: int) -> bool:
    """The ghost becomes their giver; each emoji stays unique per awardable. False: call it again for the rest."""
    await _delete_snippet_awards(tx, user_id)
    unique = """
        SELECT award.id FROM awards award WHERE award.user_id = :user_id AND NOT EXISTS (
            SELECT 1 FROM awards same WHERE same.subject_kind = award.subject_kind
            AND same.subject_id = award.subject_id AND same.name = award.name AND same.user_id = :ghost_id)
        ORDER BY award.id"""
    return await update_batch(
        tx, "awards", "user_id = :ghost_id", unique, user_id=user_id, ghost_id=ghost_id
    ) and await _delete(tx, user_id)


async def erase(tx: Tx, user_id: int) -> bool:
    """Delete them. False: call it again for the rest."""
    await _delete_snippet_awards(tx, user_id)
    return await _delete(tx, user_id)


async def _delete(tx: Tx, user_id: int) -> bool:
    given = "SELECT award.id FROM awards award WHERE award.user_id = :user_id ORDER BY award.id"
    return await delete_batch(tx, "awards", given, user_id=user_id)


async def _delete_snippet_awards(tx: Tx, user_id: int) -> None:
    await tx.run(
        """DELETE FROM awards WHERE subject_kind = 'snippet'
           AND subject_id IN (SELECT s.id FROM snippets s WHERE s.author_id = :user_id)""",
        user_id=user_id,
    )
