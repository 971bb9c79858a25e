"""Marking an issue as a duplicate of another."""

from mujina.kernel import errors
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import record
from mujina.kernel.permissions.actor import Actor
from mujina.planning.issues import operations
from mujina.planning.issues.params import EditIssue
from mujina.planning.issues.rules import IssueRow


async def mark(tx: Tx, actor: Actor, issue: IssueRow, canonical: IssueRow) -> None:
    """Close the issue and record which one it duplicates."""
    if canonical.id == issue.id:
        raise errors.bad_request("An issue is no duplicate of itself")
    await operations.edit(tx, actor, issue, EditIssue(state_event="close"))
    await record(
        tx, "issue.marked_as_duplicate", actor, subject_id=issue.id, project_id=issue.project_id,
        confidential=issue.confidential,
        changes={
            "project_id": (issue.project_id, canonical.project_id),
            "issue_id": (issue.id, canonical.id),
            "reference": (f"{issue.full_path}#{issue.iid}", f"{canonical.full_path}#{canonical.iid}"),
        },
    )  # fmt: skip
