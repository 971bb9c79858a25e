"""The issues of a project or group after a member is removed."""

from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import Event


async def unassign(tx: Tx, event: Event) -> None:
    """Unassign the removed member from the issues of the project, or of every project below the group."""
    await tx.run(
        """
        DELETE FROM issue_assignees WHERE user_id = :user_id AND issue_id IN (
            SELECT a.issue_id FROM issue_assignees a
            JOIN issues i ON i.id = a.issue_id JOIN projects p ON p.id = i.project_id
            WHERE a.user_id = :user_id AND (p.id = :project_id OR p.namespace_id IN (
                SELECT t.group_id FROM group_tree t WHERE t.ancestor_id = :group_id)))
        """,
        user_id=event.subject_id, project_id=event.project_id, group_id=event.group_id,
    )  # fmt: skip


async def unassign_users(tx: Tx, project_id: int, user_ids: list[int]) -> None:
    """Unassign these users from the issues of the project."""
    await tx.run(
        """
        DELETE FROM issue_assignees WHERE user_id IN :user_ids AND issue_id IN (
            SELECT a.issue_id FROM issue_assignees a JOIN issues i ON i.id = a.issue_id
            WHERE a.user_id IN :user_ids AND i.project_id = :project_id)
        """,
        user_ids=user_ids,
        project_id=project_id,
    )
