"""Groups with a single owner."""

from mujina.kernel import clock
from mujina.kernel.db.transaction import Tx


async def groups_owned_alone(tx: Tx, user_id: int) -> list[int]:
    """The groups that only this user owns, directly or through a group above; the topmost of each tree."""
    return await tx.values(
        """
        WITH mine AS (
            SELECT m.source_id AS group_id FROM members m JOIN namespaces n ON n.id = m.source_id
            WHERE m.user_id = :user_id AND m.source_kind = 'group' AND m.level >= 50 AND m.expires_on > :today
            AND n.deleted_at IS NULL
            AND NOT EXISTS (
                SELECT 1 FROM group_tree t
                JOIN members other ON other.source_kind = 'group' AND other.source_id = t.ancestor_id
                JOIN users u ON u.id = other.user_id
                WHERE t.group_id = m.source_id AND other.user_id <> :user_id AND other.level >= 50
                AND other.expires_on > :today AND u.deleted_at IS NULL))
        SELECT mine.group_id FROM mine
        WHERE NOT EXISTS (
            SELECT 1 FROM group_tree t JOIN mine above ON above.group_id = t.ancestor_id
            WHERE t.group_id = mine.group_id AND t.depth > 0)
        ORDER BY mine.group_id
        """,
        user_id=user_id,
        today=clock.today(),
    )
