"""The number of epics of each group and of all groups below it, by visibility.

The row of the group is locked first, so that its visibility does not change meanwhile. Counts are changed in the order of
their groups, so that two changes do not wait for each other.
"""

from mujina.kernel import errors
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import Event


async def add(tx: Tx, group_id: int) -> None:
    """Count one more epic of the group; 404 if it was deleted in the meantime."""
    # A deletion waits until this epic is counted, or this waits until the group is gone.
    group = await tx.value(
        "SELECT n.id FROM namespaces n WHERE n.id = :id AND n.deleted_at IS NULL FOR NO KEY UPDATE", id=group_id
    )
    if group is None:
        raise errors.not_found("Group")
    await tx.run(
        """
        INSERT INTO epic_counts (group_id, visibility, n) SELECT t.ancestor_id, g.visibility, 1 FROM group_tree t
        JOIN groups g ON g.id = t.group_id WHERE t.group_id = :group_id ORDER BY t.ancestor_id
        ON CONFLICT (group_id, visibility) DO UPDATE SET n = epic_counts.n + excluded.n
        """,
        group_id=group_id,
    )


async def subtract(tx: Tx, epic_ids: list[int]) -> None:
    """Count these epics no longer; they must be locked. Those of deleted groups were subtracted with their group."""
    await tx.values(
        """SELECT n.id FROM namespaces n WHERE n.id IN (SELECT e.group_id FROM epics e WHERE e.id IN :ids)
           ORDER BY n.id FOR NO KEY UPDATE""",
        ids=epic_ids,
    )
    await tx.run(
        """
        INSERT INTO epic_counts (group_id, visibility, n) SELECT t.ancestor_id, g.visibility, -count(*) FROM epics e
        JOIN groups g ON g.id = e.group_id JOIN group_tree t ON t.group_id = e.group_id WHERE e.id IN :ids
        GROUP BY t.ancestor_id, g.visibility ORDER BY t.ancestor_id, g.visibility
        ON CONFLICT (group_id, visibility) DO UPDATE SET n = epic_counts.n + excluded.n
        """,
        ids=epic_ids,
    )


async def subtract_group(tx: Tx, event: Event) -> None:
    """The groups above a deleted group no longer count its epics."""
    # `group_tree` no longer has the deleted group; its parent is still in its row.
    await tx.run(
        """
        INSERT INTO epic_counts (group_id, visibility, n) SELECT t.ancestor_id, c.visibility, -c.n FROM epic_counts c
        JOIN namespaces n ON n.id = c.group_id JOIN group_tree t ON t.group_id = n.parent_id
        WHERE c.group_id = :group_id ORDER BY t.ancestor_id, c.visibility
        ON CONFLICT (group_id, visibility) DO UPDATE SET n = epic_counts.n + excluded.n
        """,
        group_id=event.subject_id,
    )


async def follow_transfer(tx: Tx, event: Event) -> None:
    """The epics of a transferred group are counted by the groups that are above it now, and no longer by the others."""
    before, after = event.changes["parent_id"]
    await tx.run(
        """
        INSERT INTO epic_counts (group_id, visibility, n)
        SELECT t.ancestor_id, c.visibility, CAST(sum(side.sign * c.n) AS bigint) FROM epic_counts c
        CROSS JOIN (SELECT CAST(:before AS bigint) AS parent_id, -1 AS sign
                    UNION ALL SELECT CAST(:after AS bigint), 1) side
        JOIN group_tree t ON t.group_id = side.parent_id WHERE c.group_id = :group_id
        GROUP BY t.ancestor_id, c.visibility HAVING sum(side.sign * c.n) <> 0 ORDER BY t.ancestor_id, c.visibility
        ON CONFLICT (group_id, visibility) DO UPDATE SET n = epic_counts.n + excluded.n
        """,
        group_id=event.subject_id, before=before, after=after,
    )  # fmt: skip


async def follow_visibility(tx: Tx, event: Event) -> None:
    """The epics of a group whose visibility changed are counted under the new one."""
    if "visibility" not in event.changes:
        return
    before, after = event.changes["visibility"]
    await tx.values("SELECT n.id FROM namespaces n WHERE n.id = :id FOR NO KEY UPDATE", id=event.subject_id)
    await tx.run(
        """
        INSERT INTO epic_counts (group_id, visibility, n)
        SELECT t.ancestor_id, side.visibility, side.sign * own.n FROM group_tree t
        CROSS JOIN (SELECT count(*) AS n FROM epics e WHERE e.group_id = :group_id) own
        CROSS JOIN (SELECT CAST(:before AS text) AS visibility, -1 AS sign
                    UNION ALL SELECT CAST(:after AS text), 1) side
        WHERE t.group_id = :group_id AND own.n > 0 ORDER BY t.ancestor_id, side.visibility
        ON CONFLICT (group_id, visibility) DO UPDATE SET n = epic_counts.n + excluded.n
        """,
        group_id=event.subject_id, before=before, after=after,
    )  # fmt: skip
