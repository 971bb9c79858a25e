"""Merge requests as the API shows them: a list of any length takes a fixed number of statements."""

from collections.abc import Sequence
from operator import itemgetter
from typing import Any, LiteralString

import msgspec
from msgspec import UNSET, UnsetType

from mujina.accounts.users.entities import REF, RefRow, UserRef
from mujina.code.pipelines import entities as pipelines
from mujina.code.pipelines.entities import FullPipeline, Pipeline
from mujina.instance.editions.rules import counted_assignees
from mujina.kernel import errors
from mujina.kernel.actor import Actor
from mujina.kernel.db.transaction import Tx
from mujina.kernel.urls import web
from mujina.planning.issues.entities import TimeStats, times
from mujina.planning.milestones.entities import Milestone, MilestoneView
from mujina.planning.notes.tasks import TaskCompletion, completed_tasks
from mujina.review.approvals.approvers import find_unapproved
from mujina.review.merge_requests.head_pipelines import ACTIVE, allows_merging
from mujina.review.merge_requests.views import JOINED, MergeRequestView, SimpleMergeRequestView, SingleColumns


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


async def in_lists(tx: Tx, rows: Sequence[MergeRequestView]) -> list[MergeRequest]:
    """The requests of these rows, with everything that lists show."""
    requests = await without_approvals(tx, rows)
    # Who could approve takes PostgreSQL long to plan, and few requests wait for nothing else.
    if waiting := [request for row, request in zip(rows, requests, strict=True) if waits_for_approval(row, request)]:
        statuses = await approval_statuses(tx, [request.id for request in waiting])
        for request in waiting:
            request.detailed_merge_status = statuses[request.id]
    return requests


async def without_approvals(tx: Tx, rows: Sequence[MergeRequestView]) -> list[MergeRequest]:
    """The same, except that a request for which `waits_for_approval` holds is shown as mergeable."""
    around = await _around(tx, rows)
    return [_shown(row, around) for row in rows]


def waits_for_approval(row: MergeRequestView, request: MergeRequest) -> bool:
    """Whether approvals are all that the request lacks, even if no user can give one."""
    return row.lacks_approvals and request.detailed_merge_status == _MERGEABLE


async def approval_statuses(tx: Tx, request_ids: list[int]) -> dict[int, str]:
    """`detailed_merge_status` of these requests, for which `waits_for_approval` holds."""
    unapproved = await find_unapproved(tx, request_ids)
    return {id_: "not_approved" if id_ in unapproved else _MERGEABLE for id_ in request_ids}


_MERGEABLE = "mergeable"


async def single(tx: Tx, actor: Actor, request_id: int, *, can_merge: bool) -> SingleMergeRequest:
    """One request with everything that is shown of it; 404 if it was deleted in the meantime."""
    row = await tx.row(
        tuple[Any, ...],
        f"SELECT {MergeRequestView.columns}, {SingleColumns.columns} FROM merge_requests mr {JOINED} WHERE mr.id = :id",
        id=request_id,
        **actor.bound,
    )
    if row is None:
        raise errors.not_found("Merge Request")
    view = msgspec.convert(row, MergeRequestView, strict=False)
    columns = msgspec.convert(row[len(MergeRequestView.__struct_fields__) :], SingleColumns, strict=False)
    [request] = await in_lists(tx, [view])
    members = await single_members(tx, actor, columns, can_merge=can_merge)
    return SingleMergeRequest(**msgspec.structs.asdict(request), **members)


async def single_members(tx: Tx, actor: Actor, row: SingleColumns, *, can_merge: bool) -> dict[str, Any]:
    """The members that only a single request has, in the order of the fields."""
    pipeline = await pipelines.full(tx, actor, row.head_pipeline_id) if row.head_pipeline_id else None
    return members_of(row, pipeline, can_merge=can_merge)


def members_of(row: SingleColumns, pipeline: FullPipeline | None, *, can_merge: bool) -> dict[str, Any]:
    """The same with a head pipeline that is already read."""
    members = {
        "subscribed": row.subscribed, "changes_count": row.real_size,
        "diff_refs": None if row.head_sha is None else DiffRefs(row.base_sha, row.head_sha, row.start_sha),
        "pipeline": pipeline and pipelines.basic(pipeline), "head_pipeline": pipeline, "merge_error": row.merge_error,
        "first_contribution": row.first_contribution, "user": MergeRights(can_merge),
    }  # fmt: skip
    if row.forked:
        members |= {
            "allow_collaboration": row.allow_collaboration, "allow_maintainer_to_push": row.allow_collaboration,
        }  # fmt: skip
    return members


class _Around(msgspec.Struct):
    """What several requests refer to, by id."""

    labels: dict[int, list[str | LabelDetails]]
    assignees: dict[int, list[UserRef]]
    reviewers: dict[int, list[UserRef]]
    people: dict[int, UserRef]
    milestones: dict[int, Milestone]
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
        {id_: author.shown() for id_, author in authors.items()}, {},
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
        _detailed_status(row), row.merge_status == "cannot_be_merged",
        not row.blocked_by_discussions, row.squash_commit_sha,
        row.squash, completed_tasks(row.description or ""),
        row.created_at, None, False,
    )  # fmt: skip


def _detailed_status(row: MergeRequestView) -> str:
    """The first reason for which the request cannot be merged, or `mergeable`; approvals are looked up later."""
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
    return _MERGEABLE
