"""The number of epics of each group and of all groups below it.

Counts are changed in the order of their groups, so that two changes do not wait for each other.
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
        INSERT INTO epic_counts (group_id, n) SELECT t.ancestor_id, 1 FROM group_tree t
        WHERE t.group_id = :group_id ORDER BY t.ancestor_id
        ON CONFLICT (group_id) DO UPDATE SET n = epic_counts.n + excluded.n
        """,
        group_id=group_id,
    )


async def subtract(tx: Tx, epic_ids: list[int]) -> None:
    """Count these epics no longer; they must be locked. Those of deleted groups were subtracted with their group."""
    await tx.run(
        """
        INSERT INTO epic_counts (group_id, n) SELECT t.ancestor_id, -count(*) FROM epics e
        JOIN group_tree t ON t.group_id = e.group_id WHERE e.id IN :ids GROUP BY t.ancestor_id ORDER BY t.ancestor_id
        ON CONFLICT (group_id) DO UPDATE SET n = epic_counts.n + excluded.n
        """,
        ids=epic_ids,
    )


async def subtract_group(tx: Tx, event: Event) -> None:
    """The groups above a deleted group no longer count its epics."""
    # `group_tree` no longer has the deleted group; its parent is still in its row.
    await tx.run(
        """
        INSERT INTO epic_counts (group_id, n) SELECT t.ancestor_id, -c.n FROM epic_counts c
        JOIN namespaces n ON n.id = c.group_id JOIN group_tree t ON t.group_id = n.parent_id
        WHERE c.group_id = :group_id ORDER BY t.ancestor_id
        ON CONFLICT (group_id) DO UPDATE SET n = epic_counts.n + excluded.n
        """,
        group_id=event.subject_id,
    )
