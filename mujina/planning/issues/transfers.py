"""The issues of a project that is transferred to another group."""

from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import Event


async def replace_milestones(tx: Tx, event: Event) -> None:
    """Replace milestones of former groups with the usable ones of the same titles, or with none."""
    await tx.run(
        """
        UPDATE issues SET milestone_id = (
            SELECT min(ms.id) FROM milestones ms JOIN milestones old ON old.title = ms.title
            WHERE old.id = issues.milestone_id AND (ms.project_id = :project_id OR ms.group_id IN
                (SELECT t.ancestor_id FROM group_tree t WHERE t.group_id = :namespace_id)))
        WHERE project_id = :project_id AND milestone_id IN (
            SELECT ms.id FROM milestones ms WHERE ms.group_id IS NOT NULL AND ms.group_id NOT IN
                (SELECT t.ancestor_id FROM group_tree t WHERE t.group_id = :namespace_id))
        """,
        project_id=event.project_id,
        namespace_id=event.changes["namespace_id"][1],
    )
