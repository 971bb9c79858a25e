"""Merge requests as the API shows them: a list of any length takes a fixed number of statements."""

from collections.abc import Sequence
from operator import itemgetter
from typing import Annotated, Any, LiteralString

import msgspec
from msgspec import UNSET, UnsetType

from mujina.accounts.users.entities import REF, RefRow, UserRef
from mujina.code.pipelines import entities as pipelines
from mujina.code.pipelines.entities import FullPipeline, Pipeline
from mujina.instance.editions.rules import counted_assignees
from mujina.kernel import errors
from mujina.kernel.actor import Actor
from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Tx
from mujina.kernel.urls import web
from mujina.planning.issues.entities import TimeStats, times
from mujina.planning.milestones.entities import Milestone, MilestoneView
from mujina.review.approvals.approvers import LACKS_APPROVALS, find_unapproved
from mujina.review.merge_requests.head_pipelines import ACTIVE, DEMANDED_STATUS, HEAD_PIPELINE, allows_merging
from mujina.review.merge_requests.rules import blocked_by_discussions
from mujina.review.merge_requests.subscribers import SUBSCRIBED
from mujina.review.merge_requests.tasks import TaskCompletion, completed_tasks


class SimpleMergeRequest(msgspec.Struct):
    """What `view=simple` shows."""

    id: int
    iid: int
    project_id: int
    title: str
    description: str | None
    state: str
    created_at: str
    updated_at: str
    web_url: str


class LabelDetails(msgspec.Struct):
    """A label in lists that ask for details."""

    id: int
    name: str
    color: str
    description: str | None
    text_color: str


class MergeRequestSummary(SimpleMergeRequest):
    """What the specification shows of a merge request that closes an issue."""

    target_branch: str
    source_branch: str
    upvotes: int
    downvotes: int
    author: UserRef
    assignee: UserRef | None
    source_project_id: int | None
    target_project_id: int
    labels: list[str | LabelDetails]
    """Titles, or labels where the request asks for details."""
    work_in_progress: bool
    milestone: Milestone | None
    merge_when_pipeline_succeeds: bool
    merge_status: str
    sha: str | None
    merge_commit_sha: str | None
    user_notes_count: int
    should_remove_source_branch: bool | None
    force_remove_source_branch: bool
    time_stats: TimeStats


class MergeRequestReferences(msgspec.Struct):
    short: str
    relative: str
    full: str


class MergeRequest(MergeRequestSummary):
    """A merge request in lists, with the fields that today's clients read."""

    approvals_before_merge: int | None
    discussion_locked: bool
    squash: bool
    references: MergeRequestReferences
    reference: str
    assignees: list[UserRef]
    reviewers: list[UserRef]
    draft: bool
    merged_by: UserRef | None
    merge_user: UserRef | None
    merged_at: str | None
    closed_by: UserRef | None
    closed_at: str | None
    detailed_merge_status: str
    has_conflicts: bool
    blocking_discussions_resolved: bool
    squash_commit_sha: str | None
    squash_on_merge: bool
    task_completion_status: TaskCompletion
    prepared_at: str
    merge_after: None
    imported: bool


class DiffRefs(msgspec.Struct):
    base_sha: str | None
    head_sha: str | None
    start_sha: str | None


class MergeRights(msgspec.Struct):
    can_merge: bool


class SingleMergeRequest(MergeRequest, kw_only=True):
    """A merge request by itself."""

    subscribed: bool
    changes_count: str | None
    diff_refs: DiffRefs | None
    pipeline: Pipeline | None
    head_pipeline: FullPipeline | None
    merge_error: str | None
    first_contribution: bool
    user: MergeRights
    allow_collaboration: bool | UnsetType = UNSET
    allow_maintainer_to_push: bool | UnsetType = UNSET
    diverged_commits_count: int | UnsetType = UNSET
    rebase_in_progress: bool | UnsetType = UNSET


class SimpleMergeRequestView(Row, alias="mr"):
    """The columns of `view=simple`: the request (`mr`) and the path of its project (`r`)."""

    id: int
    iid: int
    project_id: int
    title: str
    description: str | None
    state: Annotated[
        str, "CASE WHEN mr.merging_push_id IS NOT NULL AND mr.state = 'opened' THEN 'locked' ELSE mr.state END"
    ]
    created_at: str
    updated_at: str
    full_path: Annotated[str, "r.path"]


def _votes(name: LiteralString) -> LiteralString:
    return f"""(SELECT count(*) FROM awards award
        WHERE award.subject_kind = 'merge_request' AND award.subject_id = mr.id AND award.name = '{name}')"""


class MergeRequestView(SimpleMergeRequestView):
    """A request with its author (`u`), its project (`p`) and its newest version (`v`)."""

    target_branch: str
    source_branch: str
    draft: bool
    author_id: int
    author_username: Annotated[str, "u.username"]
    author_name: Annotated[str, "u.name"]
    author_state: Annotated[str, "u.state"]
    author_avatar: Annotated[str | None, "u.avatar"]
    milestone_id: int | None
    source_project_id: Annotated[
        int | None,
        """CASE WHEN mr.source_project_id = mr.project_id THEN mr.project_id ELSE (
            SELECT src.id FROM projects src WHERE src.id = mr.source_project_id AND src.deleted_at IS NULL) END""",
    ]
    merge_status: str
    merge_commit_sha: str | None
    squash_commit_sha: str | None
    force_remove_source_branch: bool
    approvals_before_merge: int | None
    discussion_locked: bool
    squash: bool
    merge_when_pipeline_succeeds: bool
    merge_user_id: int | None
    should_remove_source_branch: bool | None
    merged_by_id: int | None
    merged_at: str | None
    closed_by_id: int | None
    closed_at: str | None
    user_notes_count: int
    time_estimate: int
    total_time_spent: int
    upvotes: Annotated[int, _votes("thumbsup")]
    downvotes: Annotated[int, _votes("thumbsdown")]
    sha: Annotated[str | None, "v.head_sha"]
    blocked_by_discussions: Annotated[bool, blocked_by_discussions]
    broken: Annotated[bool, "coalesce(v.state = 'empty', TRUE)"]
    """There is nothing to merge."""
    demanded_status: Annotated[str, DEMANDED_STATUS]
    needs_rebase: Annotated[
        bool,
        "(mr.behind AND p.merge_method <> 'merge')",
    ]
    """The method of the project demands that the source has all commits of the target."""
    lacks_approvals: Annotated[bool, LACKS_APPROVALS]


class SingleMergeRequestView(MergeRequestView):
    """A single request, with what only a single one shows."""

    subscribed: Annotated[bool, SUBSCRIBED]
    base_sha: Annotated[str | None, "v.base_sha"]
    start_sha: Annotated[str | None, "v.start_sha"]
    real_size: Annotated[str | None, "v.real_size"]
    head_pipeline_id: Annotated[int | None, HEAD_PIPELINE]
    merge_error: str | None
    allow_collaboration: bool
    first_contribution: Annotated[
        bool,
        """NOT EXISTS (SELECT 1 FROM merge_requests other
            WHERE other.project_id = mr.project_id AND other.author_id = mr.author_id AND other.state = 'merged')""",
    ]


AUTHOR_MILESTONE_JOIN: LiteralString = """LEFT JOIN users u ON u.id = mr.author_id
    LEFT JOIN merge_request_versions v ON v.id = (
        SELECT max(newest.id) FROM merge_request_versions newest WHERE newest.merge_request_id = mr.id)"""
"""The author and the newest version of the request `mr`."""
JOINED: LiteralString = f"""
    JOIN routes r ON r.project_id = mr.project_id JOIN projects p ON p.id = mr.project_id {AUTHOR_MILESTONE_JOIN}"""


async def in_lists(tx: Tx, rows: Sequence[MergeRequestView]) -> list[MergeRequest]:
    """The requests of these rows, with everything that lists show."""
    around = await _around(tx, rows)
    return [_shown(row, around) for row in rows]


async def single(tx: Tx, actor: Actor, request_id: int, *, can_merge: bool) -> SingleMergeRequest:
    """One request with everything that is shown of it; 404 if it was deleted in the meantime."""
    row = await tx.row(
        SingleMergeRequestView,
        f"SELECT {SingleMergeRequestView.columns} FROM merge_requests mr {JOINED} WHERE mr.id = :id",
        id=request_id,
        **actor.bound,
    )
    if row is None:
        raise errors.not_found("Merge Request")
    forked = row.source_project_id != row.project_id
    pipeline = await pipelines.full(tx, actor, row.head_pipeline_id) if row.head_pipeline_id else None
    return SingleMergeRequest(
        **msgspec.structs.asdict(_shown(row, await _around(tx, [row]))),
        subscribed=row.subscribed, changes_count=row.real_size,
        diff_refs=None if row.sha is None else DiffRefs(row.base_sha, row.sha, row.start_sha),
        pipeline=pipeline and pipelines.basic(pipeline), head_pipeline=pipeline, merge_error=row.merge_error,
        first_contribution=row.first_contribution,
        user=MergeRights(can_merge),
        allow_collaboration=row.allow_collaboration if forked else UNSET,
        allow_maintainer_to_push=row.allow_collaboration if forked else UNSET,
    )  # fmt: skip


class _Around(msgspec.Struct):
    """What several requests refer to, by id."""

    labels: dict[int, list[str | LabelDetails]]
    assignees: dict[int, list[UserRef]]
    reviewers: dict[int, list[UserRef]]
    people: dict[int, UserRef]
    milestones: dict[int, Milestone]
    unapproved: list[int]
    """Requests that wait for an approval that a user can still give."""
    urls: dict[str, str]
    """The path of a project → the URL of its requests."""


# Each row is a label, an assignee or a reviewer of a request.
_SURROUNDINGS: LiteralString = f"""
    SELECT 'label' AS kind, ml.merge_request_id, (SELECT l.title FROM labels l WHERE l.id = ml.label_id) AS title,
        0 AS user_id, '', '', '', NULL
    FROM merge_request_labels ml WHERE ml.merge_request_id IN :ids
    UNION ALL SELECT 'assignee', a.merge_request_id, '', {REF} FROM merge_request_assignees a
    JOIN users u ON u.id = a.user_id WHERE a.merge_request_id IN :ids AND u.deleted_at IS NULL
    UNION ALL SELECT 'reviewer', w.merge_request_id, '', {REF} FROM merge_request_reviewers w
    JOIN users u ON u.id = w.user_id WHERE w.merge_request_id IN :ids AND u.deleted_at IS NULL"""
_PEOPLE: LiteralString = f"""
    UNION ALL SELECT 'person', 0, '', {REF} FROM users u WHERE u.id IN :people AND u.deleted_at IS NULL"""
# As JSON in the place of a title.
_MILESTONES: LiteralString = f"""
    UNION ALL SELECT 'milestone', 0, CAST(json_build_array({MilestoneView.columns}) AS text), 0, '', '', '', NULL
    FROM milestones ms WHERE ms.id IN :milestones"""

_read_milestone = msgspec.json.Decoder(MilestoneView).decode


_by_title_and_id = itemgetter(2, 3)


async def _around(tx: Tx, rows: Sequence[MergeRequestView]) -> _Around:
    """What the requests refer to, from one statement, which asks for nothing that they do not have."""
    ids = [row.id for row in rows]
    authors = {
        row.author_id: RefRow(row.author_id, row.author_username, row.author_name, row.author_state, row.author_avatar)
        for row in rows
    }
    around = _Around(
        {id_: [] for id_ in ids}, {id_: [] for id_ in ids}, {id_: [] for id_ in ids},
        {id_: author.shown() for id_, author in authors.items()}, {}, [],
        {path: web(f"/{path}/merge_requests/") for path in {row.full_path for row in rows}},
    )  # fmt: skip
    if not ids:
        return around
    people = {id_ for row in rows for id_ in (row.merged_by_id, row.merge_user_id, row.closed_by_id) if id_}
    milestones = {row.milestone_id for row in rows if row.milestone_id}
    statement = f"{_SURROUNDINGS}{_PEOPLE if people else ''}{_MILESTONES if milestones else ''}"
    found = await tx.rows(
        tuple[Any, ...], statement, ids=ids, people=sorted(people), milestones=sorted(milestones)
    )  # fmt: skip
    for kind, request_id, title, user_id, username, name, state, avatar in sorted(found, key=_by_title_and_id):
        if kind == "label":
            around.labels[request_id].append(title)
        elif kind == "milestone":
            milestone = _read_milestone(title)
            around.milestones[milestone.id] = milestone.shown()
        else:
            if user_id not in around.people:
                around.people[user_id] = RefRow(user_id, username, name, state, avatar).shown()
            if kind != "person":
                (around.assignees if kind == "assignee" else around.reviewers)[request_id].append(
                    around.people[user_id]
                )
    # Who could approve takes PostgreSQL long to plan, and few requests wait for nothing else.
    if lacking := [row.id for row in rows if row.lacks_approvals]:
        around.unapproved = await find_unapproved(tx, lacking)
    return around


def simple(row: SimpleMergeRequestView) -> SimpleMergeRequest:
    return SimpleMergeRequest(
        id=row.id, iid=row.iid, project_id=row.project_id, title=row.title, description=row.description,
        state=row.state, created_at=row.created_at, updated_at=row.updated_at, web_url=_web_url(row),
    )  # fmt: skip


def _web_url(row: SimpleMergeRequestView) -> str:
    return web(f"/{row.full_path}/merge_requests/{row.iid}")


def _shown(row: MergeRequestView, around: _Around) -> MergeRequest:
    people, short = around.people, f"!{row.iid}"
    assignees = counted_assignees(around.assignees[row.id])
    merged_by = people.get(row.merged_by_id or 0)
    # In the order of the fields: with so many, keywords would take as long as a statement.
    return MergeRequest(
        row.id, row.iid, row.project_id, row.title, row.description,
        row.state, row.created_at, row.updated_at, f"{around.urls[row.full_path]}{row.iid}",
        row.target_branch, row.source_branch,
        row.upvotes, row.downvotes, people[row.author_id],
        # Compat: `assignee` is the first of `assignees`, for clients that know only one.
        assignees[0] if assignees else None,
        row.source_project_id, row.project_id,
        around.labels[row.id], row.draft,
        around.milestones.get(row.milestone_id or 0),
        row.merge_when_pipeline_succeeds, row.merge_status, row.sha,
        row.merge_commit_sha, row.user_notes_count,
        row.should_remove_source_branch, row.force_remove_source_branch,
        times(row.time_estimate, row.total_time_spent),
        row.approvals_before_merge, row.discussion_locked,
        row.squash, MergeRequestReferences(short, short, f"{row.full_path}{short}"), short,
        assignees, around.reviewers[row.id], row.draft,
        merged_by, merged_by or people.get(row.merge_user_id or 0), row.merged_at,
        people.get(row.closed_by_id or 0), row.closed_at,
        _detailed_status(row, unapproved=row.id in around.unapproved), row.merge_status == "cannot_be_merged",
        not row.blocked_by_discussions, row.squash_commit_sha,
        row.squash, completed_tasks(row.description or ""),
        row.created_at, None, False,
    )  # fmt: skip


def _detailed_status(row: MergeRequestView, *, unapproved: bool) -> str:
    """The first reason for which the request cannot be merged, or `mergeable`."""
    if row.state != "opened":
        return "not_open"
    if row.merge_status == "unchecked":
        return "checking"
    if row.draft:
        return "draft_status"
    if row.merge_status != "can_be_merged":
        return "broken_status" if row.broken else "conflict"
    if row.needs_rebase:
        return "need_rebase"
    if not allows_merging(row.demanded_status):
        return "ci_still_running" if row.demanded_status in ACTIVE else "ci_must_pass"
    if row.blocked_by_discussions:
        return "discussions_not_resolved"
    return "not_approved" if unapproved else "mergeable"
