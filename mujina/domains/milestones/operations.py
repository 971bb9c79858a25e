"""What happens to milestones."""

from mujina.kernel.db.transaction import Tx


async def usable(tx: Tx, project_id: int, namespace_id: int, milestone_id: int) -> int | None:
    """The milestone, if it belongs to the project or to a group above it; otherwise none."""
    return await tx.value(
        """
        SELECT ms.id FROM milestones ms WHERE ms.id = :id AND (ms.project_id = :project_id OR ms.group_id IN
            (SELECT t.ancestor_id FROM group_tree t WHERE t.group_id = :namespace_id))
        """,
        id=milestone_id, project_id=project_id, namespace_id=namespace_id,
    )  # fmt: skip
