"""The merge requests of a project or group after a member is removed."""

from typing import LiteralString

from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import Event

_BELOW: LiteralString = """SELECT mr.id FROM merge_requests mr JOIN projects p ON p.id = mr.project_id
    WHERE p.id = :project_id OR p.namespace_id IN (SELECT t.group_id FROM group_tree t WHERE t.ancestor_id = :group_id)"""


async def release(tx: Tx, event: Event) -> None:
    """The removed member no longer assigned to, or asked to review, requests of the project or below the group."""
    bound = {"user_id": event.subject_id, "project_id": event.project_id, "group_id": event.group_id}
    await tx.run(
        f"DELETE FROM merge_request_assignees WHERE user_id = :user_id AND merge_request_id IN ({_BELOW})", **bound
    )
    await tx.run(
        f"DELETE FROM merge_request_reviewers WHERE user_id = :user_id AND merge_request_id IN ({_BELOW})", **bound
    )


async def release_users(tx: Tx, project_id: int, user_ids: list[int]) -> None:
    """Removes these users as assignees and reviewers of requests of the project."""
    bound = {"user_ids": user_ids, "project_id": project_id}
    await tx.run(
        """DELETE FROM merge_request_assignees WHERE user_id IN :user_ids AND merge_request_id IN (
           SELECT mr.id FROM merge_request_assignees a JOIN merge_requests mr ON mr.id = a.merge_request_id
           WHERE a.user_id IN :user_ids AND mr.project_id = :project_id)""",
        **bound,
    )
    await tx.run(
        """DELETE FROM merge_request_reviewers WHERE user_id IN :user_ids AND merge_request_id IN (
           SELECT mr.id FROM merge_request_reviewers a JOIN merge_requests mr ON mr.id = a.merge_request_id
           WHERE a.user_id IN :user_ids AND mr.project_id = :project_id)""",
        **bound,
    )
