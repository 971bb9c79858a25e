"""Cloning an issue: a project gets a new issue with what the original has; the original stays as it is."""

from typing import Any

from mujina.kernel import errors
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import record
from mujina.kernel.http.requests.origins import Origin
from mujina.kernel.permissions.actor import Actor
from mujina.planning.assignments.operations import assignees_of
from mujina.planning.issues import operations
from mujina.planning.issues.declarations.work_item import ISSUES
from mujina.planning.issues.moving.operations import copy_notes, milestone_in_target, qualifier
from mujina.planning.issues.operations import LockedIssue, lock
from mujina.planning.issues.params import CreateIssue
from mujina.planning.issues.rules import IssueRow
from mujina.planning.labels.rules import USABLE
from mujina.planning.uploads import operations as uploads
from mujina.workspaces.owners.rules import Owner, project_owner
from mujina.workspaces.projects.rules import ProjectRow


async def clone(tx: Tx, actor: Actor, issue: IssueRow, target: ProjectRow, origin: Origin, *, notes: bool) -> int:
    """The id of the new issue, which the actor writes. The actor must be able to triage in both projects."""
    if not issue.triager or not (target.issues_enabled and target.triager):
        raise errors.bad_request("Cannot clone issue due to insufficient permissions!")
    before = await lock(tx, issue.id)
    owner = project_owner(target)
    qualified = await qualifier(tx, issue, before, owner)
    change = CreateIssue(
        title=before.title, description=before.description and qualified(before.description),
        confidential=before.confidential, milestone_id=await milestone_in_target(tx, owner, before) or 0,
        labels=await _titles(tx, issue, owner), assignee_ids=await assignees_of(tx, ISSUES, issue.id),
        **await _details(tx, issue.id),
    )  # fmt: skip
    copy = await operations.create(tx, actor, target, change, origin)
    bodies = await copy_notes(tx, issue, target, copy.row.id, qualified) if notes else []
    if target.id != issue.project_id:
        await uploads.share(tx, issue.project_id, target.id, [before.description or "", *bodies])
    await _record(tx, actor, issue, before, target, (copy.row.id, copy.row.iid))
    return copy.row.id


async def _titles(tx: Tx, issue: IssueRow, owner: Owner) -> list[str]:
    """The titles of the labels of the issue that the other project has, too."""
    return await tx.values(
        f"""SELECT DISTINCT l.title FROM labels l WHERE {USABLE} AND l.title IN (
            SELECT old.title FROM issue_labels il JOIN labels old ON old.id = il.label_id WHERE il.issue_id = :id)""",
        id=issue.id,
        **owner.bound,
    )


async def _details(tx: Tx, issue_id: int) -> dict[str, Any]:
    """The due date and the weight, if the issue has them."""
    [(due_date, weight)] = await tx.rows(
        tuple[str | None, int | None], "SELECT i.due_on, i.weight FROM issues i WHERE i.id = :id", id=issue_id
    )
    return {name: value for name, value in {"due_date": due_date, "weight": weight}.items() if value is not None}


async def _record(
    tx: Tx, actor: Actor, issue: IssueRow, before: LockedIssue, target: ProjectRow, new: tuple[int, int]
) -> None:
    await record(
        tx, "issue.cloned", actor, subject_id=issue.id, project_id=issue.project_id, confidential=before.confidential,
        changes={
            "project_id": (issue.project_id, target.id),
            "issue_id": (issue.id, new[0]),
            "reference": (f"{issue.full_path}#{issue.iid}", f"{target.full_path}#{new[1]}"),
        },
    )  # fmt: skip
