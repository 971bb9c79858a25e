"""Closing the issues that the closing keywords of commits and merge requests name."""

from mujina.kernel import errors
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.params import Ref
from mujina.kernel.permissions.actor import Actor
from mujina.planning.issues import operations as issues
from mujina.planning.issues.operations import ClosingSource
from mujina.planning.issues.params import EditIssue
from mujina.planning.issues.rules import UPDATE_ISSUE, find_issue
from mujina.planning.references.operations import ReferencedIssue, referenced_issues
from mujina.planning.references.parsing import IssueReference


async def closing_issues(
    tx: Tx, actor: Actor, path: str, upstream_id: int | None, references: list[IssueReference]
) -> list[ReferencedIssue]:
    """The issues that closing keywords of the project at `path` name and the actor may read.

    They are in the order in which they must be locked. A fork closes no issue of the project it was forked from.
    """
    found = await referenced_issues(tx, actor, path, references)
    return [issue for issue in found if issue.project_id != upstream_id]


async def close_issue(tx: Tx, actor: Actor, referenced: ReferencedIssue, via: ClosingSource) -> None:
    """Close the issue if it is open and the actor may close it."""
    try:
        issue = await find_issue(tx, actor, Ref.of(referenced.project_id), referenced.iid, to=UPDATE_ISSUE)
    except errors.ApiError:
        return
    if issue.state == "opened":
        await issues.edit(tx, actor, issue, EditIssue(state_event="close"), via=via)
