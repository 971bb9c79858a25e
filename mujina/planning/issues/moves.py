"""Moving an issue: a new one in the target with all that belongs to it; the old one is closed and remembers where it went."""

from mujina.kernel import clock, errors
from mujina.kernel.access import REPORTER
from mujina.kernel.actor import Actor
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import record
from mujina.kernel.owners import Owner
from mujina.kernel.text import fold
from mujina.planning.awards import operations as awards
from mujina.planning.issues import triage
from mujina.planning.issues.operations import LockedIssue, lock
from mujina.planning.issues.rules import IssueRow
from mujina.planning.labels import operations as labels
from mujina.planning.milestones import operations as milestones
from mujina.planning.notes import operations as notes
from mujina.planning.references import operations as references
from mujina.planning.references.rewriting import from_elsewhere
from mujina.planning.uploads import operations as uploads
from mujina.workspaces.projects.rules import ProjectRow


async def move(tx: Tx, actor: Actor, issue: IssueRow, target: ProjectRow) -> int:
    """The new issue's id. Only who may triage in both projects moves an issue, and each is moved once."""
    before = await lock(tx, issue.id)
    may_there = target.issues_enabled and (actor.admin or target.level >= REPORTER)
    if not issue.triager or not may_there or before.moved_to_id is not None:
        raise errors.bad_request("Cannot move issue due to insufficient permissions!")
    if target.id == issue.project_id:
        raise errors.bad_request("Cannot move issue to project it originates from!")
    home = Owner("project", target.id, target.namespace_id)
    if issue.project_id < target.id and before.state == "opened":
        await _hold_counts(tx, issue.project_id, confidential=before.confidential)
    new_id, iid = await _copy(tx, issue, before, home)
    await _leave(tx, issue, new_id)
    await _carry_triage(tx, issue, home, new_id)
    said = await _carry_talk(tx, issue, target, new_id)
    await uploads.share(tx, issue.project_id, target.id, [before.description or "", *said])
    await _tell(tx, actor, issue, before, target, (new_id, iid))
    return new_id


async def _hold_counts(tx: Tx, project_id: int, *, confidential: bool) -> None:
    """Totals are changed in the order of projects' ids, so that two moves in opposite directions do not wait for each other."""
    # A total that was never needed before is there from now on: a row that is missing cannot be held.
    await tx.run(
        """INSERT INTO issue_counts (project_id, state, confidential, n)
           VALUES (:id, 'closed', :confidential, 0), (:id, 'opened', :confidential, 0)
           ON CONFLICT (project_id, state, confidential) DO UPDATE SET n = issue_counts.n""",
        id=project_id,
        confidential=confidential,
    )


async def _tell(
    tx: Tx, actor: Actor, issue: IssueRow, before: LockedIssue, target: ProjectRow, new: tuple[int, int]
) -> None:
    """To who looks on, the new issue is opened and the old one closed, by the mover; nobody has anything new to do."""
    source, there = f"{issue.full_path}#{issue.iid}", f"{target.full_path}#{new[1]}"
    confidential = before.confidential
    await record(
        tx, "issue.created", actor, subject_id=new[0], project_id=target.id, confidential=confidential,
        changes={"moved_from": (None, source)}, project_active_at=target.last_activity_at,
    )  # fmt: skip
    if before.state == "opened":
        await record(
            tx, "issue.closed", actor, subject_id=issue.id, project_id=issue.project_id, confidential=confidential,
            changes={"moved_to": (None, there)}, project_active_at=issue.project_active_at,
        )  # fmt: skip
    await record(
        tx, "issue.moved", actor, subject_id=issue.id, project_id=issue.project_id, confidential=confidential,
        changes={
            "state": (before.state, "closed"),
            "project_id": (issue.project_id, target.id),
            "issue_id": (issue.id, new[0]),
            "reference": (source, there),
        },
    )  # fmt: skip


async def _copy(tx: Tx, issue: IssueRow, before: LockedIssue, home: Owner) -> tuple[int, int]:
    """All that is the issue's own, its author and dates too; the milestone is the one of the same title. Id and iid."""
    description = before.description and from_elsewhere(before.description, issue.full_path)
    title: str | None = await tx.value(
        "SELECT ms.title FROM milestones ms WHERE ms.id = :id", id=before.milestone_id or 0
    )
    [copy] = await tx.rows(
        tuple[int, int],
        """
        INSERT INTO issues (project_id, iid, title, title_folded, description, description_folded, state, confidential,
            author_id, milestone_id, weight, due_on, discussion_locked, time_estimate, user_notes_count,
            created_at, updated_at, closed_at)
        SELECT :project_id, next_iid('project', :project_id, 'issue'), i.title, i.title_folded, :description,
            :description_folded, i.state, i.confidential, i.author_id, CAST(:milestone_id AS bigint), i.weight,
            i.due_on, i.discussion_locked, i.time_estimate, i.user_notes_count, i.created_at, i.updated_at, i.closed_at
        FROM issues i WHERE i.id = :id RETURNING id, iid
        """,
        id=issue.id, project_id=home.id, description=description, description_folded=fold(description or ""),
        milestone_id=await milestones.usable_of_title(tx, home, title) if title else None,
    )  # fmt: skip
    return copy


async def _leave(tx: Tx, issue: IssueRow, new_id: int) -> None:
    await tx.run(
        """UPDATE issues SET moved_to_id = :new_id, updated_at = :now, state = 'closed',
           closed_at = CASE WHEN state = 'closed' THEN closed_at ELSE :now END WHERE id = :id""",
        id=issue.id, new_id=new_id, now=clock.now(),
    )  # fmt: skip


async def _carry_triage(tx: Tx, issue: IssueRow, home: Owner, new_id: int) -> None:
    """Labels of the same title, and the assignees who can read the target."""
    await labels.carry_over(tx, issue.id, home, new_id)
    people: list[int] = await tx.values("SELECT a.user_id FROM issue_assignees a WHERE a.issue_id = :id", id=issue.id)
    await triage.assign(tx, home.id, new_id, people or None)


async def _carry_talk(tx: Tx, issue: IssueRow, target: ProjectRow, new_id: int) -> list[str]:
    """Notes with their authors and dates, emoji on the issue and on the notes, and who is spoken of; what they said."""
    copies = await notes.copy(tx, "issue", issue.id, new_id, target.id)
    said = await notes.reword(tx, list(copies.values()), lambda body: from_elsewhere(body, issue.full_path))
    await awards.copy(tx, "issue", {issue.id: new_id})
    await awards.copy(tx, "note", copies)
    await references.copy_mentions(tx, "issue", {issue.id: new_id}, new_id)
    await references.copy_mentions(tx, "note", copies, new_id)
    return said
