"""Issues as the API shows them, computed: one takes one statement, any number of them two: the rows, then labels and assignees."""

from collections.abc import Sequence
from typing import Annotated, Any, LiteralString

import msgspec
from msgspec import UNSET, UnsetType

from mujina.accounts.users.entities import REF, RefRow, UserRef
from mujina.instance.editions.rules import counted_assignees, has_feature
from mujina.kernel import errors
from mujina.kernel.actor import Actor
from mujina.kernel.db.transaction import Tx
from mujina.kernel.origins import Origin, UserAgentDetail, detail_of
from mujina.kernel.urls import api, web
from mujina.planning.issues.durations import format_duration
from mujina.planning.issues.participants import SUBSCRIBED
from mujina.planning.issues.rows import CreatedIssue, IssueColumns, MilestoneRefRow
from mujina.planning.milestones.entities import OWNER_PATH, milestone_url


class TimeStats(msgspec.Struct):
    time_estimate: int
    total_time_spent: int
    human_time_estimate: str | None
    human_total_time_spent: str | None


class MilestoneRef(msgspec.Struct, kw_only=True, omit_defaults=False):
    """The milestone of an issue; it has `project_id` or `group_id`, not both."""

    id: int
    iid: int
    project_id: int | UnsetType = UNSET
    group_id: int | UnsetType = UNSET
    title: str
    description: str | None
    state: str
    created_at: str
    updated_at: str
    due_date: str | None
    start_date: str | None
    web_url: str
    closed_at: str | UnsetType | None = UNSET


class Issue(msgspec.Struct, kw_only=True, rename={"links": "_links"}):
    """An issue; `subscribed` and `_links` are set on a single issue, votes on the target of a todo."""

    id: int
    iid: int
    project_id: int
    title: str
    description: str | None
    state: str
    created_at: str
    updated_at: str
    closed_at: str | None
    labels: list[str]
    milestone: MilestoneRef | None
    assignees: list[UserRef]
    author: UserRef
    assignee: UserRef | None
    user_notes_count: int
    due_date: str | None
    confidential: bool
    weight: int | UnsetType | None = UNSET
    discussion_locked: bool
    web_url: str
    time_stats: TimeStats | UnsetType = UNSET
    upvotes: int | UnsetType = UNSET
    downvotes: int | UnsetType = UNSET
    subscribed: bool | UnsetType = UNSET
    links: dict[str, str] | UnsetType = UNSET


class IssueView(IssueColumns):
    """An issue with its author (`u`), its milestone (`ms`) and the path of its project (`r`)."""

    full_path: Annotated[str, "r.path"]
    author_id: Annotated[int, "u.id"]
    author_username: Annotated[str, "u.username"]
    author_name: Annotated[str, "u.name"]
    author_state: Annotated[str, "u.state"]
    author_avatar: Annotated[str | None, "u.avatar"]
    milestone_id: Annotated[int | None, "ms.id"]
    milestone_iid: Annotated[int | None, "ms.iid"]
    milestone_project_id: Annotated[int | None, "ms.project_id"]
    milestone_group_id: Annotated[int | None, "ms.group_id"]
    milestone_title: Annotated[str | None, "ms.title"]
    milestone_description: Annotated[str | None, "ms.description"]
    milestone_state: Annotated[str | None, "ms.state"]
    milestone_created_at: Annotated[str | None, "ms.created_at"]
    milestone_updated_at: Annotated[str | None, "ms.updated_at"]
    milestone_due_on: Annotated[str | None, "ms.due_on"]
    milestone_start_on: Annotated[str | None, "ms.start_on"]
    milestone_full_path: Annotated[str | None, OWNER_PATH]
    milestone_closed_at: Annotated[str | None, "ms.closed_at"]


class SingleIssueView(IssueView):
    """A single issue, with labels and assignees as JSON."""

    subscribed: Annotated[bool, SUBSCRIBED]
    labels: Annotated[
        str | None,
        """(SELECT CAST(json_agg(l.title ORDER BY l.title) AS text)
            FROM issue_labels il JOIN labels l ON l.id = il.label_id WHERE il.issue_id = i.id)""",
    ]
    assignees: Annotated[
        str | None,
        f"""(SELECT CAST(json_agg(json_build_array({REF}) ORDER BY u.id) AS text)
            FROM issue_assignees a JOIN users u ON u.id = a.user_id WHERE a.issue_id = i.id)""",
    ]


AUTHOR_AND_MILESTONE: LiteralString = (
    "LEFT JOIN users u ON u.id = i.author_id LEFT JOIN milestones ms ON ms.id = i.milestone_id"
)
JOINED: LiteralString = f"JOIN routes r ON r.project_id = i.project_id {AUTHOR_AND_MILESTONE}"


async def single(tx: Tx, actor: Actor, issue_id: int) -> Issue:
    """One issue, with its links and whether the actor is subscribed."""
    row = await tx.row(
        SingleIssueView,
        f"SELECT {SingleIssueView.columns} FROM issues i {JOINED} WHERE i.id = :id",
        id=issue_id,
        **actor.bound,
    )
    if row is None:
        raise errors.not_found("Issue")
    return shown_single(row)


async def singles(tx: Tx, actor: Actor, ids: list[int]) -> dict[int, Issue]:
    """The issues of these ids, each as a single one is shown."""
    rows = await tx.rows(
        SingleIssueView,
        f"SELECT {SingleIssueView.columns} FROM issues i {JOINED} WHERE i.id IN :ids",
        ids=ids,
        **actor.bound,
    )
    return {row.id: shown_single(row) for row in rows}


def shown_single(row: SingleIssueView) -> Issue:
    """The issue of this row."""
    return _single(
        row, _read_labels(row.labels) if row.labels else [], _read_people(row.assignees) if row.assignees else [],
        _author(row), _milestone(row), row.full_path, subscribed=row.subscribed,
    )  # fmt: skip


async def created(tx: Tx, actor: Actor, issue: CreatedIssue) -> Issue:
    """The issue as its author, who is subscribed, reads it. If commands changed it since, it is read again."""
    if issue.acted_on:
        return await single(tx, actor, issue.row.id)
    return _single(
        issue.row, issue.labels, issue.assignees, issue.author, issue.milestone, issue.full_path, subscribed=True
    )


def _single(
    row: IssueColumns, labels: list[str], assignees: Sequence[RefRow], author: RefRow, milestone: MilestoneRefRow | None,
    full_path: str, *, subscribed: bool,
) -> Issue:  # fmt: skip
    shown_milestone = _milestone_ref(milestone)
    if milestone is not None and shown_milestone is not None:
        shown_milestone.closed_at = milestone.closed_at
    people = [person.shown() for person in assignees]
    issue = _shown(row, labels, people, author.shown(), shown_milestone, issues_url(full_path))
    issue.subscribed = subscribed
    issue.links = links_of(issue.project_id, issue.iid)
    return issue


_read_labels = msgspec.json.Decoder(list[str]).decode
_read_people = msgspec.json.Decoder(list[RefRow]).decode


async def by_id(tx: Tx, ids: list[int]) -> dict[int, Issue]:
    """The issues of these ids, as lists show them."""
    rows = await tx.rows(IssueView, f"SELECT {IssueView.columns} FROM issues i {JOINED} WHERE i.id IN :ids", ids=ids)
    return {issue.id: issue for issue in await with_labels_and_assignees(tx, rows)}


async def as_targets(tx: Tx, _: Actor, ids: list[int]) -> dict[int, Issue]:
    """The same with their votes, as todos show them."""
    issues = await by_id(tx, ids)
    for issue in issues.values():
        issue.upvotes = issue.downvotes = 0
    for issue_id, name, votes in await tx.rows(
        tuple[int, str, int],
        """SELECT award.subject_id, award.name, count(*) FROM awards award WHERE award.subject_kind = 'issue'
           AND award.subject_id IN :ids AND award.name IN ('thumbsup', 'thumbsdown') GROUP BY 1, 2""",
        ids=ids,
    ):
        setattr(issues[issue_id], "upvotes" if name == "thumbsup" else "downvotes", votes)
    return issues


async def unsubscribed(tx: Tx, actor: Actor, issue_id: int) -> Issue:
    """One issue, as the response to unsubscribing shows it."""
    issue = await single(tx, actor, issue_id)
    # Compat: this response leaves these fields out.
    issue.time_stats = issue.weight = issue.links = UNSET
    return issue


async def user_agent_detail(tx: Tx, issue_id: int) -> UserAgentDetail:
    row = await tx.row(Origin, "SELECT i.user_agent, i.ip_address FROM issues i WHERE i.id = :id", id=issue_id)
    return detail_of(row)


async def time_stats(tx: Tx, issue_id: int) -> TimeStats:
    seconds = await tx.row(
        tuple[int, int], "SELECT i.time_estimate, i.total_time_spent FROM issues i WHERE i.id = :id", id=issue_id
    )
    return times(*(seconds or (0, 0)))


# Each row is a label of an issue or, where the title is null, an assignee.
LABELS_AND_ASSIGNEES: LiteralString = f"""
    SELECT il.issue_id, (SELECT l.title FROM labels l WHERE l.id = il.label_id), 0, '', '', '', NULL
    FROM issue_labels il WHERE il.issue_id IN :ids
    UNION ALL
    SELECT a.issue_id, NULL, {REF} FROM issue_assignees a JOIN users u ON u.id = a.user_id WHERE a.issue_id IN :ids
    ORDER BY 2, 3"""


async def with_labels_and_assignees(tx: Tx, rows: Sequence[IssueView]) -> list[Issue]:
    """The issues of these rows; one statement reads the labels and assignees of all of them."""
    ids = [row.id for row in rows]
    labels: dict[int, list[str]] = {id_: [] for id_ in ids}
    assignees: dict[int, list[UserRef]] = {id_: [] for id_ in ids}
    # Values that several issues share are built once.
    people: dict[int, UserRef] = {}
    milestones: dict[int | None, MilestoneRef | None] = {}
    urls: dict[str, str] = {}
    for issue_id, label, id_, username, name, state, avatar in await tx.rows(
        tuple[Any, ...], LABELS_AND_ASSIGNEES, ids=ids
    ):
        if label is not None:
            labels[issue_id].append(label)
            continue
        if id_ not in people:
            people[id_] = RefRow(id_, username, name, state, avatar).shown()
        assignees[issue_id].append(people[id_])
    for row in rows:
        if row.author_id not in people:
            people[row.author_id] = _author(row).shown()
        if row.milestone_id not in milestones:
            milestones[row.milestone_id] = _milestone_ref(_milestone(row))
        if row.full_path not in urls:
            urls[row.full_path] = issues_url(row.full_path)
    return [
        _shown(row, labels[row.id], assignees[row.id], people[row.author_id], milestones[row.milestone_id],
               urls[row.full_path])
        for row in rows
    ]  # fmt: skip


def _author(row: IssueView) -> RefRow:
    return RefRow(row.author_id, row.author_username, row.author_name, row.author_state, row.author_avatar)


def issues_url(full_path: str) -> str:
    return web(f"/{full_path}/issues/")


def _shown(
    row: IssueColumns, labels: list[str], assignees: list[UserRef], author: UserRef, milestone: MilestoneRef | None,
    address: str,
) -> Issue:  # fmt: skip
    assignees = counted_assignees(assignees)
    return Issue(
        id=row.id, iid=row.iid, project_id=row.project_id, title=row.title, description=row.description,
        state=row.state, created_at=row.created_at, updated_at=row.updated_at, closed_at=row.closed_at,
        labels=labels, milestone=milestone, assignees=assignees,
        author=author,
        # Compat: `assignee` is the first of `assignees`, for clients that know only one.
        assignee=assignees[0] if assignees else None,
        user_notes_count=row.user_notes_count, due_date=row.due_on, confidential=row.confidential,
        weight=row.weight if has_feature("issue_weights") else UNSET,
        discussion_locked=row.discussion_locked, web_url=f"{address}{row.iid}",
        time_stats=times(row.time_estimate, row.total_time_spent),
    )  # fmt: skip


def times(estimate: int, spent: int) -> TimeStats:
    """An estimate and the time spent, in seconds and in words."""
    return (
        TimeStats(estimate, spent, format_duration(estimate), format_duration(spent))
        if estimate or spent
        else _NO_TIMES
    )


_NO_TIMES = TimeStats(0, 0, None, None)


def _milestone_ref(row: MilestoneRefRow | None) -> MilestoneRef | None:
    """As lists of issues show it; a single issue also shows when it was closed."""
    if row is None:
        return None
    return MilestoneRef(
        id=row.id, iid=row.iid, project_id=UNSET if row.project_id is None else row.project_id,
        group_id=UNSET if row.group_id is None else row.group_id, title=row.title, description=row.description,
        state=row.state, created_at=row.created_at, updated_at=row.updated_at, due_date=row.due_on,
        start_date=row.start_on, web_url=milestone_url(row.full_path, row.iid, of_group=row.group_id is not None),
    )  # fmt: skip


def _milestone(row: IssueView) -> MilestoneRefRow | None:
    if row.milestone_id is None:
        return None
    return MilestoneRefRow(
        row.milestone_id, row.milestone_iid or 0, row.milestone_project_id, row.milestone_group_id,
        row.milestone_title or "", row.milestone_description, row.milestone_state or "active",
        row.milestone_created_at or "", row.milestone_updated_at or "", row.milestone_due_on, row.milestone_start_on,
        row.milestone_full_path or "", row.milestone_closed_at,
    )  # fmt: skip


def links_of(project_id: int, iid: int) -> dict[str, str]:
    project = api(f"/projects/{project_id}")
    here = f"{project}/issues/{iid}"
    return {"self": here, "notes": f"{here}/notes", "award_emoji": f"{here}/award_emoji", "project": project}
