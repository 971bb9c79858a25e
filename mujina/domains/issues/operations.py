"""What happens to issues. Notes, todos, mail and hooks follow from the record of each change."""

from typing import Any, LiteralString

from mujina.domains.issues import counts
from mujina.domains.issues.params import CreateIssue, EditIssue, IssueChange
from mujina.domains.issues.participants import SUBSCRIBED
from mujina.domains.issues.rules import IssueRow
from mujina.domains.labels import operations as labels
from mujina.domains.members.team import who_may_read
from mujina.domains.milestones import operations as milestones
from mujina.domains.projects.rules import ProjectRow
from mujina.domains.subscriptions import operations as subscriptions
from mujina.kernel import clock, errors
from mujina.kernel.access import OWNER, REPORTER
from mujina.kernel.actor import Actor
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import Problems
from mujina.kernel.events import record
from mujina.kernel.iids import next_iid
from mujina.kernel.params import UNSET
from mujina.kernel.text import fold

LONGEST_TITLE = 255
LONGEST_DESCRIPTION = 1_000_000


async def create(
    tx: Tx, actor: Actor, project: ProjectRow, change: CreateIssue, *, user_agent: str, address: str
) -> int:
    """A new issue. What triage decides is dropped silently when the actor may not triage."""
    columns = _columns(change)
    columns["title"] = change.title.strip()
    _check(columns)
    triager = actor.admin or project.level >= REPORTER
    if not triager:
        columns = {name: value for name, value in columns.items() if name not in _TRIAGED}
    if columns.get("milestone_id"):
        columns["milestone_id"] = await milestones.usable(tx, project.id, project.namespace_id, columns["milestone_id"])
    dated = change.created_at if change.created_at and (actor.admin or project.level >= OWNER) else clock.now()
    issue_id: int = await tx.value(
        """
        INSERT INTO issues (project_id, iid, title, title_folded, description, description_folded, confidential,
            author_id, milestone_id, weight, due_on, discussion_locked, user_agent, ip_address, created_at, updated_at)
        VALUES (:project_id, :iid, :title, :title_folded, :description, :description_folded, :confidential,
            :author_id, :milestone_id, :weight, :due_on, :discussion_locked, :user_agent, :ip_address, :dated, :dated)
        RETURNING id
        """,
        **_BLANK | columns | _folded(columns),
        project_id=project.id, iid=await next_iid(tx, "issue", "project", project.id), author_id=actor.id,
        user_agent=user_agent, ip_address=address, dated=dated,
    )  # fmt: skip
    confidential = bool(columns.get("confidential"))
    await counts.move(tx, project.id, None, ("opened", confidential))
    changes: dict[str, Any] = {name: (None, value) for name, value in columns.items()}
    if triager:
        changes |= await _put_assignees(tx, project.id, issue_id, _assignee_ids(change))
        changes |= await labels.put_on(tx, project.id, project.namespace_id, issue_id, change.labels or [], create=True)
    await record(
        tx, "issue.created", actor, subject_id=issue_id, project_id=project.id, confidential=confidential,
        changes=changes,
    )  # fmt: skip
    return issue_id


async def edit(tx: Tx, actor: Actor, issue: IssueRow, change: EditIssue) -> None:
    """Apply the change and record it, old and new values; what triage decides is dropped for those who may not."""
    columns = _columns(change)
    if change.title is not UNSET:
        columns["title"] = change.title.strip()
    _check(columns)
    if not issue.triager:
        columns = {name: value for name, value in columns.items() if name not in _TRIAGED}
    if columns.get("milestone_id"):
        columns["milestone_id"] = await milestones.usable(
            tx, issue.project_id, issue.namespace_id, columns["milestone_id"]
        )
    before = await _lock(tx, issue.id)
    columns |= _state(before["state"], change)
    changes: dict[str, Any] = {
        name: (before[name], value) for name, value in columns.items() if before.get(name) != value
    }
    if issue.triager:
        changes |= await _put_assignees(tx, issue.project_id, issue.id, _assignee_ids(change))
        changes |= await _relabel(tx, issue, change)
    await _store(tx, issue, columns, change.updated_at if issue.owner and change.updated_at else clock.now())
    after = before | columns
    await counts.move(
        tx, issue.project_id, (before["state"], before["confidential"]), (after["state"], after["confidential"])
    )
    await record(
        tx, _kind(changes), actor, subject_id=issue.id, project_id=issue.project_id,
        confidential=after["confidential"], changes=changes,
    )  # fmt: skip


async def remove(tx: Tx, actor: Actor, issue: IssueRow) -> None:
    """Invisible everywhere from now on; the row stays and its iid is never used again."""
    before = await _lock(tx, issue.id)
    await tx.run("UPDATE issues SET deleted_at = :now WHERE id = :id", id=issue.id, now=clock.now())
    await counts.move(tx, issue.project_id, (before["state"], before["confidential"]), None)
    await record(
        tx, "issue.deleted", actor, subject_id=issue.id, project_id=issue.project_id, confidential=issue.confidential
    )


async def subscribe(tx: Tx, actor: Actor, issue: IssueRow, *, subscribed: bool) -> None:
    """The actor hears of the issue from now on, or no more; 304 when that is so already."""
    now = await tx.value(f"SELECT {SUBSCRIBED} FROM issues i WHERE i.id = :id", id=issue.id, **actor.bound)
    if bool(now) == subscribed:
        raise errors.not_modified()
    await subscriptions.put(tx, actor, "issue", issue.id, subscribed=subscribed)


_TRIAGED = frozenset({"milestone_id", "due_on", "weight", "discussion_locked"})
"""Columns that triage decides; labels and assignees are too, in tables of their own."""

_BLANK: dict[str, Any] = {
    "description": None, "confidential": False, "milestone_id": None, "weight": None, "due_on": None,
    "discussion_locked": False, "description_folded": "",
}  # fmt: skip

_SETTERS: dict[str, LiteralString] = {
    "title": "title = :title, title_folded = :title_folded",
    "description": "description = :description, description_folded = :description_folded",
    "confidential": "confidential = :confidential",
    "milestone_id": "milestone_id = :milestone_id",
    "weight": "weight = :weight",
    "due_on": "due_on = :due_on",
    "discussion_locked": "discussion_locked = :discussion_locked",
    "state": "state = :state",
    "closed_at": "closed_at = :closed_at",
}
"""How each column is stored: an edit writes only what it was given, so that two edits at once both stand."""

_NAMES = {"due_date": "due_on"}


def _columns(change: IssueChange) -> dict[str, Any]:
    """The plain columns a request sets, by the names they have in the table."""
    given = {_NAMES.get(name, name): value for name, value in change.given().items()}
    columns = {name: value for name, value in given.items() if name in _BLANK}
    if columns.get("milestone_id") == 0:
        columns["milestone_id"] = None
    return columns


def _folded(columns: dict[str, Any]) -> dict[str, str]:
    return {f"{name}_folded": fold(columns[name] or "") for name in ("title", "description") if name in columns}


def _check(columns: dict[str, Any]) -> None:
    problems = Problems()
    if "title" in columns:
        problems.require("title", columns["title"])
        problems.limit("title", columns["title"], LONGEST_TITLE)
    problems.limit("description", columns.get("description"), LONGEST_DESCRIPTION)
    problems.refuse()


def _state(state: str, change: EditIssue) -> dict[str, str | None]:
    """Closing the closed and reopening the open change nothing."""
    if change.state_event == "close" and state == "opened":
        return {"state": "closed", "closed_at": clock.now()}
    if change.state_event == "reopen" and state == "closed":
        return {"state": "opened", "closed_at": None}
    return {}


def _kind(changes: dict[str, Any]) -> str:
    match changes.get("state"):
        case (_, "closed"):
            return "issue.closed"
        case (_, "opened"):
            return "issue.reopened"
        case _:
            return "issue.updated"


async def _lock(tx: Tx, issue_id: int) -> dict[str, Any]:
    """The issue as it is now, held until the transaction ends: counts and records must not guess."""
    row = await tx.row(
        tuple[str, str | None, str, bool, int | None, int | None, str | None, bool, str | None],
        """SELECT title, description, state, confidential, milestone_id, weight, due_on, discussion_locked, closed_at
           FROM issues WHERE id = :id FOR UPDATE""",
        id=issue_id,
    )
    assert row is not None
    names = (
        "title",
        "description",
        "state",
        "confidential",
        "milestone_id",
        "weight",
        "due_on",
        "discussion_locked",
        "closed_at",
    )
    return dict(zip(names, row, strict=True))


async def _store(tx: Tx, issue: IssueRow, columns: dict[str, Any], updated_at: str) -> None:
    setters: list[LiteralString] = ["updated_at = :updated_at", *(_SETTERS[name] for name in columns)]
    await tx.run(
        f"UPDATE issues SET {', '.join(setters)} WHERE id = :id",
        id=issue.id, updated_at=updated_at, **columns, **_folded(columns),
    )  # fmt: skip


def _assignee_ids(change: IssueChange) -> list[int] | None:
    """Whom the request assigns; nobody for 0 or nothing, None when it does not speak of it."""
    if change.assignee_ids is not UNSET:
        return [id_ for id_ in change.assignee_ids or [] if id_ > 0]
    if change.assignee_id is not UNSET:
        return [change.assignee_id] if change.assignee_id else []
    return None


async def _put_assignees(tx: Tx, project_id: int, issue_id: int, wanted: list[int] | None) -> dict[str, Any]:
    """Exactly these people, of those who may read the project; unknown ids are dropped."""
    if wanted is None:
        return {}
    before: list[int] = await tx.values(
        "SELECT a.user_id FROM issue_assignees a WHERE a.issue_id = :id ORDER BY a.user_id", id=issue_id
    )
    after = await who_may_read(tx, project_id, wanted) if wanted else []
    if after == before:
        return {}
    if gone := [id_ for id_ in before if id_ not in after]:
        await tx.run("DELETE FROM issue_assignees WHERE issue_id = :id AND user_id IN :gone", id=issue_id, gone=gone)
    await tx.run_each(
        "INSERT INTO issue_assignees (issue_id, user_id) VALUES (:id, :user_id) ON CONFLICT DO NOTHING",
        [{"id": issue_id, "user_id": user_id} for user_id in after if user_id not in before],
    )
    return {"assignee_ids": (before, after)}


async def _relabel(tx: Tx, issue: IssueRow, change: EditIssue) -> dict[str, Any]:
    """The labels the request asks for: a new set, or some more and some less."""
    if change.labels is UNSET and not change.add_labels and not change.remove_labels:
        return {}
    wanted = change.labels if change.labels is not UNSET else await labels.titles_on(tx, issue.id)
    titles = [
        title for title in [*(wanted or []), *(change.add_labels or [])] if title not in (change.remove_labels or [])
    ]
    return await labels.put_on(tx, issue.project_id, issue.namespace_id, issue.id, titles, create=True)
