"""The assignees and labels of an issue: a change replaces the whole set and returns (before, after)."""

from typing import Any

from mujina.instance.editions.rules import counted_assignees
from mujina.kernel import clock
from mujina.kernel.db.transaction import Tx
from mujina.kernel.owners import Owner
from mujina.kernel.params import UNSET
from mujina.planning.issues.params import CreateIssue, EditIssue, IssueChange
from mujina.planning.labels import operations as labels
from mujina.workspaces.projects.rules import READ_PROJECT

Changes = dict[str, Any]


def requested_assignees(change: IssueChange) -> list[int] | None:
    """The users whom the request assigns: none for 0 or an empty list; None if it leaves the assignees alone.

    An edition with one assignee takes the first.
    """
    if change.assignee_ids is not UNSET:
        return counted_assignees([id_ for id_ in change.assignee_ids or [] if id_ > 0])
    if change.assignee_id is not UNSET:
        return [change.assignee_id] if change.assignee_id else []
    return None


async def assign(tx: Tx, project_id: int, issue_id: int, user_ids: list[int] | None) -> Changes:
    """Assign exactly those of these users who may read the project. None changes nothing.

    Assignees whom the edition hides stay as long as the one it shows does.
    """
    if user_ids is None:
        return {}
    users = await tx.rows(
        tuple[int, bool, bool],
        f"""SELECT u.id, a.issue_id IS NOT NULL, u.deleted_at IS NULL AND {READ_PROJECT.of("u")} FROM users u JOIN projects p ON p.id = :project_id
            LEFT JOIN issue_assignees a ON a.user_id = u.id AND a.issue_id = :id
            WHERE u.id IN :user_ids OR u.id IN (SELECT now.user_id FROM issue_assignees now WHERE now.issue_id = :id)
            ORDER BY u.id""",
        id=issue_id, project_id=project_id, user_ids=user_ids, today=clock.today(),
    )  # fmt: skip
    before = [user_id for user_id, assigned, _ in users if assigned]
    after = [user_id for user_id, _, may_read in users if may_read and user_id in user_ids]
    if after == (shown := counted_assignees(before)):
        return {}
    if removed := [id_ for id_ in before if id_ not in after]:
        await tx.run(
            "DELETE FROM issue_assignees WHERE issue_id = :id AND user_id IN :removed", id=issue_id, removed=removed
        )
    await tx.run_each(
        "INSERT INTO issue_assignees (issue_id, user_id) VALUES (:id, :user_id) ON CONFLICT DO NOTHING",
        [{"id": issue_id, "user_id": user_id} for user_id in after if user_id not in before],
    )
    return {"assignee_ids": (shown, after)}


async def relabel(tx: Tx, project: Owner, issue_id: int, change: CreateIssue | EditIssue) -> Changes:
    """Replace the labels, or add and remove some, as requested; new titles become labels of the project."""
    exactly = None if change.labels is UNSET else change.labels or []
    added, removed = (
        (change.add_labels or [], change.remove_labels or []) if isinstance(change, EditIssue) else ([], [])
    )
    if exactly is None and not added and not removed:
        return {}
    before, after = await labels.relabel(tx, project, issue_id, exactly=exactly, added=added, removed=removed)
    return {"labels": (before, after)} if before != after else {}
