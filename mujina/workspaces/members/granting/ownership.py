"""The owners of groups."""

from mujina.kernel import clock
from mujina.kernel.clock import NEVER
from mujina.kernel.db.transaction import Tx
from mujina.kernel.permissions.levels import OWNER


async def permanent_owners(tx: Tx, group_id: int, *, lock: bool = False) -> list[int]:
    """The direct owners whose access does not expire; where there is none, all direct owners.

    `lock`: until the transaction ends, none of them stops being one.
    """
    if lock:  # in a statement of its own: the next one sees who was deleted while this one waited
        await tx.values(
            """SELECT m.user_id FROM members m WHERE m.source_kind = 'group' AND m.source_id = :id
               AND m.level = :owner ORDER BY m.user_id FOR UPDATE""",
            id=group_id,
            owner=OWNER,
        )
    owners = await tx.rows(
        tuple[int, str],
        """SELECT m.user_id, m.expires_on FROM members m JOIN users u ON u.id = m.user_id
           WHERE m.source_kind = 'group' AND m.source_id = :id AND m.level = :owner AND m.expires_on > :today
           AND u.deleted_at IS NULL ORDER BY m.user_id""",
        id=group_id,
        owner=OWNER,
        today=clock.today(),
    )
    return [id_ for id_, expires_on in owners if expires_on == NEVER] or [id_ for id_, _ in owners]


async def lock_owners(tx: Tx, user_id: int) -> None:
    """Until the transaction ends, nobody else stops being a direct owner of a group that this user owns directly."""
    await tx.values(
        """SELECT m.user_id FROM members m WHERE m.source_kind = 'group' AND m.level >= :owner AND m.source_id IN (
               SELECT own.source_id FROM members own
               WHERE own.source_kind = 'group' AND own.user_id = :user_id AND own.level >= :owner)
           ORDER BY m.source_id, m.user_id FOR UPDATE""",
        user_id=user_id,
        owner=OWNER,
    )


async def groups_owned_alone(tx: Tx, user_id: int, *, permanent: bool) -> list[int]:
    """The groups that only this user owns, directly or through a group above; the topmost of each tree.

    `permanent`: other owners count only if their access does not expire, because then the group would have none.
    """
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
                AND (other.expires_on = :never OR (NOT :permanent AND other.expires_on > :today))
                AND u.deleted_at IS NULL))
        SELECT mine.group_id FROM mine
        WHERE NOT EXISTS (
            SELECT 1 FROM group_tree t JOIN mine above ON above.group_id = t.ancestor_id
            WHERE t.group_id = mine.group_id AND t.depth > 0)
        ORDER BY mine.group_id
        """,
        user_id=user_id,
        today=clock.today(),
        never=NEVER,
        permanent=permanent,
    )
