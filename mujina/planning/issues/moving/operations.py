"""Moving an issue: the target project gets a copy with everything that belongs to it; the original is closed and refers to it."""

from collections.abc import Callable
from typing import LiteralString

from mujina.kernel import clock, errors
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import record
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.text.folding import fold
from mujina.planning.assignments.operations import assign, assignees_of
from mujina.planning.awards import operations as awards
from mujina.planning.issues.declarations.work_item import ISSUES
from mujina.planning.issues.operations import SETTABLE, LockedIssue, lock
from mujina.planning.issues.rules import IssueRow
from mujina.planning.labels import operations as labels
from mujina.planning.milestones import operations as milestones
from mujina.planning.notes import operations as notes
from mujina.planning.references import operations as references
from mujina.planning.references.rewriting import known_references, qualify_references
from mujina.planning.uploads import operations as uploads
from mujina.workspaces.owners.rules import Owner, project_owner
from mujina.workspaces.projects.rules import ProjectRow


async def move(tx: Tx, actor: Actor, issue: IssueRow, target: ProjectRow) -> int:
    """The id of the new issue. The actor must be able to triage in both projects; an issue moves once."""
    before = await lock(tx, issue.id)
    may_triage_there = target.issues_enabled and target.triager
    if not issue.triager or not may_triage_there or before.moved_to_id is not None:
        raise errors.bad_request("Cannot move issue due to insufficient permissions!")
    if target.id == issue.project_id:
        raise errors.bad_request("Cannot move issue to project it originates from!")
    owner = project_owner(target)
    qualified = await qualifier(tx, issue, before, owner)
    new_id, iid = await _copy(tx, issue, before, owner, qualified)
    closed_at = clock.now()
    await tx.run(
        """UPDATE issues SET moved_to_id = :new_id, updated_at = :now, state = 'closed',
           closed_at = CASE WHEN state = 'closed' THEN closed_at ELSE :now END WHERE id = :id""",
        id=issue.id,
        new_id=new_id,
        now=closed_at,
    )
    # The copy gets labels of the same titles, and the assignees who may read the target.
    await labels.copy_to_issue(tx, issue.id, owner, new_id)
    await assign(tx, ISSUES, owner.id, new_id, await assignees_of(tx, ISSUES, issue.id) or None)
    bodies = await copy_notes(tx, issue, target, new_id, qualified)
    await uploads.share(tx, issue.project_id, target.id, [before.description or "", *bodies])
    await _record(tx, actor, issue, before, target, (new_id, iid), closed_at)
    return new_id


async def _record(
    tx: Tx, actor: Actor, issue: IssueRow, before: LockedIssue, target: ProjectRow, new: tuple[int, int], now: str
) -> None:
    """In feeds the actor closes the original and opens the new issue; the move creates no todos."""
    source, destination = f"{issue.full_path}#{issue.iid}", f"{target.full_path}#{new[1]}"
    confidential = before.confidential
    if before.state == "opened":
        await record(
            tx, "issue.closed", actor, subject_id=issue.id, project_id=issue.project_id, confidential=confidential,
            changes={
                "moved_to": (None, destination), "moved_to_id": (None, new[0]), "updated_at": (before.updated_at, now),
            },
            project_active_at=issue.project_active_at,
        )  # fmt: skip
    await record(
        tx, "issue.created", actor, subject_id=new[0], project_id=target.id, confidential=confidential,
        changes={"moved_from": (None, source)}, project_active_at=target.last_activity_at,
    )  # fmt: skip
    await record(
        tx, "issue.moved", actor, subject_id=issue.id, project_id=issue.project_id, confidential=confidential,
        changes={
            "state": (before.state, "closed"),
            "project_id": (issue.project_id, target.id),
            "issue_id": (issue.id, new[0]),
            "reference": (source, destination),
        },
    )  # fmt: skip


Qualifier = Callable[[str], str]
"""Rewrites a text with references that are valid in the target."""


async def qualifier(tx: Tx, issue: IssueRow, before: LockedIssue, target: Owner) -> Qualifier:
    source = Owner("project", issue.project_id, issue.namespace_id)
    bodies = await notes.bodies(tx, "issue", issue.id)
    known = await known_references(tx, source, target, [before.description or "", *bodies])
    return lambda text: qualify_references(text, issue.full_path, known)


async def _copy(tx: Tx, issue: IssueRow, before: LockedIssue, owner: Owner, qualified: Qualifier) -> tuple[int, int]:
    """Id and iid of the copy: the same columns, author and dates; the milestone is the one of the same title."""
    description = before.description and qualified(before.description)
    [copy] = await tx.rows(
        tuple[int, int],
        _COPY,
        id=issue.id, project_id=owner.id, description=description, description_folded=fold(description or ""),
        milestone_id=await milestone_in_target(tx, owner, before),
    )  # fmt: skip
    return copy


async def milestone_in_target(tx: Tx, owner: Owner, before: LockedIssue) -> int | None:
    """The milestone of the other project that has the title of the issue's milestone."""
    title: str | None = await tx.value(
        "SELECT ms.title FROM milestones ms WHERE ms.id = :id", id=before.milestone_id or 0
    )
    return await milestones.usable_of_title(tx, owner, title) if title else None


_REWRITTEN: dict[str, LiteralString] = {
    "description": ":description",
    "milestone_id": "CAST(:milestone_id AS bigint)",
}
_COPY: LiteralString = f"""
    INSERT INTO issues (project_id, iid, title, title_folded, description_folded, {", ".join(SETTABLE)}, state,
        author_id, time_estimate, total_time_spent, user_notes_count, task_count, completed_task_count, created_at,
        updated_at, closed_at)
    SELECT :project_id, next_iid('project', :project_id, 'issue'), i.title, i.title_folded, :description_folded,
        {", ".join(_REWRITTEN.get(name, f"i.{name}") for name in SETTABLE)}, i.state,
        i.author_id, i.time_estimate, i.total_time_spent, i.user_notes_count, i.task_count, i.completed_task_count,
        i.created_at, i.updated_at, i.closed_at
    FROM issues i WHERE i.id = :id RETURNING id, iid"""


async def copy_notes(tx: Tx, issue: IssueRow, target: ProjectRow, new_id: int, qualified: Qualifier) -> list[str]:
    """Copy notes with authors and dates, awards and mentions; the bodies of the notes."""
    copies = await notes.copy(tx, "issue", issue.id, new_id, target.id)
    bodies = await notes.rewrite(tx, list(copies.values()), qualified)
    await awards.copy(tx, "issue", {issue.id: new_id})
    await awards.copy(tx, "note", copies)
    await references.copy_mentions(tx, "issue", {issue.id: new_id}, new_id)
    await references.copy_mentions(tx, "note", copies, new_id)
    return bodies
