"""Creating, editing and deleting issues. System notes, todos and references follow from the recorded events."""

from collections.abc import Mapping
from typing import Any, LiteralString, cast

import msgspec

from mujina.instance.editions.rules import has_feature
from mujina.kernel import clock
from mujina.kernel.db.rows import Row, changed_columns, find_row, insert_numbered, sent_columns, update_unread
from mujina.kernel.db.sql.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import Problems
from mujina.kernel.events import record
from mujina.kernel.http.params import UNSET
from mujina.kernel.http.requests.origins import Origin
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.text.folding import folded_columns
from mujina.planning.assignments.operations import assign
from mujina.planning.assignments.params import requested_assignees
from mujina.planning.issues import triage
from mujina.planning.issues.declarations.work_item import ISSUES
from mujina.planning.issues.params import CreateIssue, EditIssue
from mujina.planning.issues.rules import IssueRow
from mujina.planning.issues.views.issue import WRITTEN, CreatedIssue, Issue, WrittenIssue
from mujina.planning.labels.operations import relabel
from mujina.planning.milestones import operations as milestones
from mujina.planning.work_items.task_lists import completed_tasks
from mujina.workspaces.owners.rules import Owner, project_owner
from mujina.workspaces.projects.rules import ProjectRow

MAX_TITLE_LENGTH = 255
MAX_DESCRIPTION_LENGTH = 1_000_000


class LockedIssue(Row, alias="i", of=Issue):
    """The columns whose old values edits compare and record, read while the row is locked."""

    title: str
    description: str | None
    state: str
    confidential: bool
    milestone_id: int | None
    created_at: str
    updated_at: str
    time_estimate: int
    total_time_spent: int
    moved_to_id: int | None


NOT_COLUMNS = {
    "title", "state_event", "created_at", "updated_at", "assignee_id", "assignee_ids", "labels", "add_labels",
    "remove_labels", "merge_request_to_resolve_discussions_of", "discussion_to_resolve", "issue_type",
}  # fmt: skip
"""The parameters that no column is set to as they are."""


def _given(params: Mapping[str, Any]) -> dict[str, Any]:
    return sent_columns(LockedIssue, params, exclude=NOT_COLUMNS)


SETTABLE = cast("tuple[LiteralString, ...]", tuple(_given(dict.fromkeys(CreateIssue.__struct_fields__))))
"""The columns that a request sets directly."""
_UNTRIAGED = {"title", "description", "confidential"}
"""The columns that users who may not triage set too."""


async def create(tx: Tx, actor: Actor, project: ProjectRow, change: CreateIssue, origin: Origin) -> CreatedIssue:
    """A new issue. Values that only triage decides are ignored if the actor may not triage."""
    columns = {**_columns(change), "title": change.title.strip()}
    _check(columns)
    owner = project_owner(project)
    requested = triage.Requested()
    if project.triager:
        requested = await triage.find_requested(tx, owner, change)
        if columns.get("milestone_id"):
            columns["milestone_id"] = None if requested.milestone is None else requested.milestone.id
    else:
        columns = _untriaged(columns)
    now = clock.now()
    fixed = {
        "project_id": project.id, "author_id": actor.id, **msgspec.structs.asdict(origin),
        "created_at": change.created_at if change.created_at and project.owned else now, "updated_at": now,
    }  # fmt: skip
    written = await insert_numbered(
        tx, WrittenIssue, "issues", columns | _derived(columns) | fixed,
        iid="next_iid('project', :project_id, 'issue')", returning=WRITTEN,
    )  # fmt: skip
    confidential = bool(columns.get("confidential"))
    changes: dict[str, Any] = {name: (None, value) for name, value in columns.items()}
    issue_id = written.issue.id
    changes |= await triage.assign_and_label(tx, owner, issue_id, requested)
    if change.merge_request_to_resolve_discussions_of is not UNSET:
        changes["follow_up"] = (change.merge_request_to_resolve_discussions_of, change.discussion_to_resolve or None)
    await record(
        tx, "issue.created", actor, subject_id=issue_id, project_id=project.id, confidential=confidential,
        changes=changes, project_active_at=project.last_activity_at,
    )  # fmt: skip
    return CreatedIssue(
        row=written.issue, author=written.author, milestone=requested.milestone, assignees=requested.assignees,
        labels=requested.titles, full_path=project.full_path,
    )  # fmt: skip


class ClosingSource(msgspec.Struct, frozen=True):
    """The source that closes an issue on behalf of the actor: a commit, a merge request."""

    name: str
    """The source as the system note names it."""
    source: tuple[str, int, int] | None = None
    """Its kind, its id and its project; only users who may read it see the note. None: every reader of the issue."""

    @property
    def changes(self) -> dict[str, Any]:
        return {"via": (None, self.name), **({} if self.source is None else {"source": self.source})}


async def edit(
    tx: Tx, actor: Actor, issue: IssueRow, change: EditIssue, *, via: ClosingSource | None = None
) -> dict[str, Any]:
    """Apply the change; the recorded changes, name → (old value, new value).

    Values that only triage decides are ignored for other actors.
    """
    columns = _columns(change)
    if change.title is not UNSET:
        columns["title"] = change.title.strip()
    _check(columns)
    owner = Owner("project", issue.project_id, issue.namespace_id)
    columns = await milestones.with_usable(tx, owner, columns) if issue.triager else _untriaged(columns)
    before = await lock(tx, issue.id)
    columns |= _state(before.state, change)
    if issue.owner and change.created_at:
        columns["created_at"] = change.created_at
    changes = changed_columns(before, columns)
    # Before the labels, as in a new issue: otherwise two changes could wait for each other's labels and counts.
    updated_at = change.updated_at if issue.owner and change.updated_at else clock.now()
    await update_unread(tx, "issues", {**columns, **_derived(columns), "updated_at": updated_at}, id=issue.id)
    if issue.triager:
        changes |= await assign(tx, ISSUES, issue.project_id, issue.id, requested_assignees(change))
        changes |= await relabel(tx, ISSUES, owner, issue.id, change)
    if via is not None:
        changes |= via.changes
    if changes:
        await record(
            tx, ISSUES.edit_event(changes), actor, subject_id=issue.id, project_id=issue.project_id,
            confidential=columns.get("confidential", before.confidential), project_active_at=issue.project_active_at,
            changes={**changes, "updated_at": (before.updated_at, updated_at)},
        )  # fmt: skip
    return changes


async def remove(tx: Tx, actor: Actor, issue: IssueRow) -> None:
    """Hide the issue everywhere; its row stays, so its iid is never used again."""
    await lock(tx, issue.id)
    await tx.run("UPDATE issues SET deleted_at = :now WHERE id = :id", id=issue.id, now=clock.now())
    await record(
        tx, "issue.deleted", actor, subject_id=issue.id, project_id=issue.project_id, confidential=issue.confidential
    )


def _untriaged(columns: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in columns.items() if name in _UNTRIAGED}


def _columns(change: CreateIssue | EditIssue) -> dict[str, Any]:
    """The columns of `SETTABLE` that a request sets."""
    columns = _given(change.sent_fields())
    if not has_feature("issue_weights"):
        columns.pop("weight", None)
    if columns.get("milestone_id") == 0:
        columns["milestone_id"] = None
    return columns


def _derived(columns: dict[str, Any]) -> dict[str, Any]:
    """The columns derived from the title and the description: their folded texts, and the number of tasks."""
    derived: dict[str, Any] = {**folded_columns(columns, "title", "description")}
    if "description" in columns:
        tasks = completed_tasks(columns["description"] or "")
        derived |= {"task_count": tasks.count, "completed_task_count": tasks.completed_count}
    return derived


def _check(columns: dict[str, Any]) -> None:
    problems = Problems()
    if "title" in columns:
        problems.require("title", columns["title"], MAX_TITLE_LENGTH)
    problems.limit("description", columns.get("description"), MAX_DESCRIPTION_LENGTH)
    problems.refuse()


def _state(state: str, change: EditIssue) -> dict[str, str | None]:
    """Closing a closed issue and reopening an open one change nothing."""
    if change.state_event == "close" and state == "opened":
        return {"state": "closed", "closed_at": clock.now()}
    if change.state_event == "reopen" and state == "closed":
        return {"state": "opened", "closed_at": None}
    return {}


async def lock(tx: Tx, issue_id: int) -> LockedIssue:
    """The current values of the issue, locked until the transaction ends; 404 if it was deleted in the meantime."""
    selection = Selection("issues i", "i.id = :id AND i.deleted_at IS NULL", id=issue_id)
    return await find_row(tx, LockedIssue, selection, "Issue", lock="FOR UPDATE")


async def iid_of(tx: Tx, issue_id: int) -> int:
    return await tx.value("SELECT i.iid FROM issues i WHERE i.id = :id", id=issue_id)
