"""Issues as responses show them, read as stored documents with one statement.

Issues without a valid document are computed: one takes one statement, any number of them two: the rows, then labels and
assignees.
"""

from collections.abc import Sequence
from typing import Annotated, Any, LiteralString

import msgspec

from mujina.accounts.users.entities import REF, RefRow, UserRef
from mujina.instance.editions.rules import counted_assignees, current_edition, has_feature
from mujina.kernel import errors
from mujina.kernel.db.documents import DETAIL_ONLY_SLOT, PATH_SLOT, Documents, DocumentSource, decoded
from mujina.kernel.db.entities import entity_maker
from mujina.kernel.db.rows import Row, find_row
from mujina.kernel.db.sql.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Paged
from mujina.kernel.http.params import UNSET, Ref
from mujina.kernel.http.requests.origins import Origin, UserAgentDetail, detail_of
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.urls import api, web
from mujina.planning.issues.declarations.work_item import ISSUES, SUBSCRIBED
from mujina.planning.issues.params import QueryIssues
from mujina.planning.issues.rules import find_issue_as
from mujina.planning.issues.views.issue import (
    JOINED,
    CreatedIssue,
    Issue,
    IssueColumns,
    IssueView,
    LabeledIssue,
    MilestoneRef,
    MilestoneRefRow,
    SingleIssueView,
)
from mujina.planning.milestones.entities import milestone_url
from mujina.planning.time_tracking.entities import times
from mujina.planning.work_items.label_details import label_details


async def load_one(tx: Tx, actor: Actor, issue_id: int) -> Issue:
    """One issue, with its links and whether the actor is subscribed."""
    selection = Selection(f"issues i {JOINED}", "i.id = :id", id=issue_id, **actor.bound)
    return to_single(await find_row(tx, SingleIssueView, selection, "Issue"))


async def singles(tx: Tx, actor: Actor, ids: list[int]) -> dict[int, Issue]:
    """The issues of these ids, each as a single one is shown."""
    rows = await tx.rows(
        SingleIssueView,
        f"SELECT {SingleIssueView.columns} FROM issues i {JOINED} WHERE i.id IN :ids",
        ids=ids,
        **actor.bound,
    )
    return {row.id: to_single(row) for row in rows}


def to_single(row: SingleIssueView) -> Issue:
    """The issue of this row."""
    return _to_detail(
        row,
        labels=_read_labels(row.labels) if row.labels else [],
        assignees=_read_people(row.assignees) if row.assignees else [],
        author=row.author,
        milestone=row.milestone,
        full_path=row.full_path,
        subscribed=row.subscribed,
    )


async def created(tx: Tx, actor: Actor, issue: CreatedIssue) -> Issue:
    """The issue as its author, who is subscribed, reads it. If commands changed it since, it is read again."""
    if issue.acted_on:
        return await load_one(tx, actor, issue.row.id)
    return _to_detail(
        issue.row, labels=issue.labels, assignees=issue.assignees, author=issue.author, milestone=issue.milestone,
        full_path=issue.full_path, subscribed=True,
    )  # fmt: skip


def _to_detail(
    row: IssueColumns, *, labels: list[str], assignees: list[RefRow], author: RefRow, milestone: MilestoneRefRow | None,
    full_path: str, subscribed: bool,
) -> Issue:  # fmt: skip
    issue = _to_entity(
        row, labels, [person.shown() for person in assignees], author.shown(), milestone and milestone.to_entity(MilestoneRef),
        issues_url(full_path),
    )  # fmt: skip
    issue.subscribed, issue.links = subscribed, links_of(issue.project_id, issue.iid)
    return issue


_read_labels = msgspec.json.Decoder(list[str]).decode
_read_people = msgspec.json.Decoder(list[RefRow]).decode


async def by_id(tx: Tx, ids: list[int]) -> dict[int, Issue]:
    """The issues of these ids, as lists show them."""
    if not ids:
        return {}
    rows = await tx.rows(IssueView, f"SELECT {IssueView.columns} FROM issues i {JOINED} WHERE i.id IN :ids", ids=ids)
    return {issue.id: issue for issue in await with_labels_and_assignees(tx, rows)}


async def in_view(tx: Tx, query: QueryIssues, found: Paged[Issue]) -> Paged[Issue] | Paged[LabeledIssue]:
    """The page as the query asks for it: with the names or the details of labels."""
    if query.with_labels_details is not True:
        return found
    issues = decoded(found.items, Issue)
    labels: dict[int, Any] = await label_details(tx, ISSUES, [issue.id for issue in issues])
    return found.with_items(
        [LabeledIssue(**{**msgspec.structs.asdict(issue), "labels": labels[issue.id]}) for issue in issues]
    )


async def as_targets(tx: Tx, _: Actor, ids: list[int]) -> dict[int, Issue]:
    """Returns the issues with their votes, as todos show them."""
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
    issue = await load_one(tx, actor, issue_id)
    # Compat: this response leaves these fields out.
    issue.time_stats = issue.weight = issue.links = UNSET
    return issue


async def user_agent_detail(tx: Tx, issue_id: int) -> UserAgentDetail:
    row = await tx.row(Origin, "SELECT i.user_agent, i.ip_address FROM issues i WHERE i.id = :id", id=issue_id)
    return detail_of(row)


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
    people = {id_: author.shown() for id_, author in {row.author.id: row.author for row in rows}.items()}
    milestones = {row.milestone.id: row.milestone for row in rows if row.milestone}
    shown_milestones = {id_: milestone.to_entity(MilestoneRef) for id_, milestone in milestones.items()}
    for milestone in shown_milestones.values():
        milestone.closed_at = UNSET  # only a single issue has it
    urls = {path: issues_url(path) for path in {row.full_path for row in rows}}
    for issue_id, label, id_, *person in await tx.rows(tuple[Any, ...], LABELS_AND_ASSIGNEES, ids=ids):
        if label is not None:
            labels[issue_id].append(label)
            continue
        if id_ not in people:
            people[id_] = RefRow(id_, *person).shown()
        assignees[issue_id].append(people[id_])
    return [
        _to_entity(
            row, labels[row.id], assignees[row.id], people[row.author.id],
            shown_milestones[row.milestone.id] if row.milestone else None, urls[row.full_path],
        )
        for row in rows
    ]  # fmt: skip


def issues_url(full_path: str) -> str:
    return web(f"/{full_path}/issues/")


_make_issue = entity_maker(Issue, IssueColumns)


def _to_entity(
    row: IssueColumns, labels: list[str], assignees: list[UserRef], author: UserRef, milestone: MilestoneRef | None,
    address: str,
) -> Issue:  # fmt: skip
    assignees = counted_assignees(assignees)
    issue = _make_issue(
        row, labels=labels, milestone=milestone, assignees=assignees, author=author,
        # Compat: `assignee` is the first of `assignees`, for clients that know only one.
        assignee=assignees[0] if assignees else None,
        web_url=f"{address}{row.iid}", time_stats=times(row.time_estimate, row.total_time_spent),
    )  # fmt: skip
    if not has_feature("issue_weights"):
        issue.weight = UNSET
    return issue


def links_of(project_id: int, iid: int) -> dict[str, str]:
    project = api(f"/projects/{project_id}")
    here = f"{project}/issues/{iid}"
    return {"self": here, "notes": f"{here}/notes", "award_emoji": f"{here}/award_emoji", "project": project}


class _SourceAndView(Row):
    source: DocumentSource
    view: IssueView


async def _for_documents(tx: Tx, ids: list[int]) -> list[tuple[DocumentSource, Issue]]:
    rows = await tx.rows(
        _SourceAndView,
        f"SELECT {DOCUMENTS.source_columns}, {IssueView.columns} FROM issues i {JOINED} WHERE i.id IN :ids",
        ids=ids,
    )
    issues = await with_labels_and_assignees(tx, [row.view for row in rows])
    for issue in issues:
        issue.web_url = f"{issues_url(PATH_SLOT)}{issue.iid}"
        if issue.milestone is not None:
            issue.milestone.closed_at = DETAIL_ONLY_SLOT  # only a single issue has it
            if issue.milestone.project_id is not UNSET:
                issue.milestone.web_url = milestone_url(PATH_SLOT, issue.milestone.iid, of_group=False)
    return list(zip([row.source for row in rows], issues, strict=True))


DOCUMENTS = Documents("issue_documents", Issue, _for_documents, of="issues", alias="i", variant=current_edition)


class _DocumentView(Row, alias="i"):
    """The document of a single issue, and what it leaves open."""

    id: int
    iid: int
    project_id: int
    full_path: Annotated[str, "r.path"]
    subscribed: Annotated[bool, SUBSCRIBED]
    milestone_closed_at: Annotated[str | None, "ms.closed_at"]
    body: Annotated[str | None, "d.body"]


async def load_visible(tx: Tx, actor: Actor, ref: Ref, iid: int) -> Issue:
    """The issue, if the actor may read it: found and read by one statement."""
    row = await find_issue_as(
        _DocumentView, tx, actor, ref, iid,
        joined=f"LEFT JOIN milestones ms ON ms.id = i.milestone_id {DOCUMENTS.joined}", bound=DOCUMENTS.bound(tx),
    )  # fmt: skip
    issue = await DOCUMENTS.load_one(
        tx,
        (row.id, row.body, row.full_path),
        detail_only={"closed_at": row.milestone_closed_at},
        members={"subscribed": row.subscribed, "_links": links_of(row.project_id, row.iid)},
    )
    return errors.or_not_found(issue, "Issue")
