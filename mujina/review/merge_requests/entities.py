"""Merge requests as responses show them, read as stored documents with one statement.

Requests without a valid document are computed, with two statements however many they are. Who could still approve a request
depends on members, groups, dates and access: documents leave that open, and a statement for the page answers it.
"""

from collections.abc import Sequence
from operator import itemgetter
from typing import Any, LiteralString, cast

import msgspec

from mujina.accounts.users.entities import REF, RefRow, UserRef
from mujina.code.pipelines import entities as pipelines
from mujina.code.pipelines.entities import FullPipeline
from mujina.instance.editions.rules import counted_assignees, current_edition
from mujina.kernel import clock, errors
from mujina.kernel.db.documents import COMPUTED_SLOT, PATH_SLOT, Documents, DocumentSource
from mujina.kernel.db.entities import entity_maker
from mujina.kernel.db.rows import Row, find_row
from mujina.kernel.db.sql.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.params import UNSET, Ref
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.urls import web
from mujina.planning.milestones.entities import Milestone, MilestoneView, milestone_url
from mujina.planning.time_tracking.entities import times
from mujina.planning.work_items.label_details import LabelDetails
from mujina.planning.work_items.task_lists import completed_tasks
from mujina.review.approvals.approvers import NOT_APPROVED
from mujina.review.merge_requests.head_pipelines import ACTIVE, allows_merging, with_due_pipelines
from mujina.review.merge_requests.rules import find_merge_request_as, may_merge
from mujina.review.merge_requests.views.merge_request import (
    JOINED,
    DiffRefs,
    DocumentView,
    MergeRequest,
    MergeRequestReferences,
    MergeRequestView,
    MergeRights,
    SingleColumns,
    SingleMergeRequest,
    SingleView,
)
from mujina.review.owner_approvals.conditions import AWAITS_OWNERS
from mujina.review.versions.rules import NEWEST_VERSION


async def in_lists(tx: Tx, rows: Sequence[MergeRequestView]) -> list[MergeRequest]:
    """The requests of these rows, with everything that lists show."""
    requests = await without_late_statuses(tx, rows)
    # Who could approve takes PostgreSQL long to plan, and few requests wait for nothing else.
    if waiting := [request for row, request in zip(rows, requests, strict=True) if is_decided_late(row, request)]:
        statuses = await late_statuses(tx, [request.id for request in waiting])
        for request in waiting:
            request.detailed_merge_status = statuses[request.id]
    return requests


async def without_late_statuses(tx: Tx, rows: Sequence[MergeRequestView]) -> list[MergeRequest]:
    """The requests as they are sent, except that one for which `is_decided_late` holds is shown as mergeable."""
    related = await _load_related(tx, rows)
    return [_to_entity(row, related) for row in rows]


def is_decided_late(row: MergeRequestView, request: MergeRequest) -> bool:
    """Whether approvals, or a pipeline that is due, may be all that the request lacks."""
    return (row.lacks_approvals or row.demands_success) and request.detailed_merge_status == _MERGEABLE


async def late_statuses(tx: Tx, request_ids: list[int]) -> dict[int, str]:
    """`detailed_merge_status` of these requests, for which `is_decided_late` holds."""
    rows = await tx.rows(
        tuple[int, str],
        f"""SELECT mr.id, CASE WHEN p.only_allow_merge_if_pipeline_succeeds AND mr.pipeline_due THEN 'ci_still_running'
                WHEN {NOT_APPROVED} OR {AWAITS_OWNERS} THEN 'not_approved' ELSE '{_MERGEABLE}' END
            FROM {with_due_pipelines(tx.product)} mr JOIN projects p ON p.id = mr.project_id WHERE mr.id IN :ids""",
        ids=request_ids,
        today=clock.today(),
    )
    return dict(rows)


_MERGEABLE: LiteralString = "mergeable"


async def load_one(tx: Tx, actor: Actor, request_id: int, *, can_merge: bool) -> SingleMergeRequest:
    """One request with everything that is shown of it; 404 if it was deleted in the meantime."""
    selection = Selection(f"merge_requests mr {JOINED}", "mr.id = :id", id=request_id, **actor.bound)
    row = await find_row(tx, SingleView, selection, "Merge Request")
    return await to_single(tx, actor, row, can_merge=can_merge)


async def to_single(tx: Tx, actor: Actor, row: SingleView, *, can_merge: bool) -> SingleMergeRequest:
    """The request of this row, with everything that is shown of a single one."""
    [request] = await in_lists(tx, [row.request])
    members = await single_members(tx, actor, row.single, can_merge=can_merge)
    return SingleMergeRequest(**msgspec.structs.asdict(request), **members)


async def single_members(tx: Tx, actor: Actor, row: SingleColumns, *, can_merge: bool) -> dict[str, Any]:
    """The members that only a single request has, in the order of the fields."""
    pipeline = await pipelines.full(tx, actor, row.head_pipeline_id) if row.head_pipeline_id else None
    return members_of(row, pipeline, can_merge=can_merge)


def members_of(row: SingleColumns, pipeline: FullPipeline | None, *, can_merge: bool) -> dict[str, Any]:
    """The members with a head pipeline that is already read."""
    members = {
        "subscribed": row.subscribed, "changes_count": row.real_size,
        "diff_refs": None if row.head_sha is None else DiffRefs(row.base_sha, row.head_sha, row.start_sha),
        "pipeline": pipeline and pipelines.basic(pipeline), "head_pipeline": pipeline, "merge_error": row.merge_error,
        "first_contribution": row.first_contribution, "user": MergeRights(can_merge),
    }  # fmt: skip
    if row.forked:
        members |= {"allow_collaboration": row.allow_collaboration, "allow_maintainer_to_push": row.allow_collaboration}
    return members


class _Related(msgspec.Struct):
    """The objects that several requests refer to, by id."""

    labels: dict[int, list[str | LabelDetails]]
    assignees: dict[int, list[UserRef]]
    reviewers: dict[int, list[UserRef]]
    people: dict[int, UserRef]
    milestones: dict[int, Milestone]
    urls: dict[str, str]
    """The path of a project → the URL of its requests."""


# Each row is a label, an assignee or a reviewer of a request.
_RELATED: LiteralString = f"""
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


async def _load_related(tx: Tx, rows: Sequence[MergeRequestView]) -> _Related:
    """Reads the objects that the requests refer to by one statement, which asks for nothing that they do not have."""
    ids = [row.id for row in rows]
    authors = {row.author.id: row.author for row in rows}
    related = _Related(
        labels={id_: [] for id_ in ids}, assignees={id_: [] for id_ in ids}, reviewers={id_: [] for id_ in ids},
        people={id_: author.shown() for id_, author in authors.items()}, milestones={},
        urls={path: web(f"/{path}/merge_requests/") for path in {row.full_path for row in rows}},
    )  # fmt: skip
    if not ids:
        return related
    people = {id_ for row in rows for id_ in (row.merged_by_id, row.merge_user_id, row.closed_by_id) if id_}
    milestones = {row.milestone_id for row in rows if row.milestone_id}
    statement = f"{_RELATED}{_PEOPLE if people else ''}{_MILESTONES if milestones else ''}"
    found = await tx.rows(tuple[Any, ...], statement, ids=ids, people=sorted(people), milestones=sorted(milestones))
    for kind, request_id, title, user_id, *person in sorted(found, key=_by_title_and_id):
        if kind == "label":
            related.labels[request_id].append(title)
        elif kind == "milestone":
            milestone = _read_milestone(title)
            related.milestones[milestone.id] = milestone.to_entity(Milestone)
        else:
            if user_id not in related.people:
                related.people[user_id] = RefRow(user_id, *person).shown()
            if kind != "person":
                of_kind = related.assignees if kind == "assignee" else related.reviewers
                of_kind[request_id].append(related.people[user_id])
    return related


_make_request = entity_maker(MergeRequest, MergeRequestView, "author")


def _to_entity(row: MergeRequestView, related: _Related) -> MergeRequest:
    people, short = related.people, f"!{row.iid}"
    assignees = counted_assignees(related.assignees[row.id])
    merged_by = people.get(row.merged_by_id or 0)
    return _make_request(
        row,
        web_url=f"{related.urls[row.full_path]}{row.iid}",
        author=people[row.author.id],
        # Compat: `assignee` is the first of `assignees`, for clients that know only one.
        assignee=assignees[0] if assignees else None,
        labels=related.labels[row.id],
        milestone=related.milestones.get(row.milestone_id or 0),
        time_stats=times(row.time_estimate, row.total_time_spent),
        references=MergeRequestReferences(short, short, f"{row.full_path}{short}"),
        reference=short,
        assignees=assignees,
        reviewers=related.reviewers[row.id],
        merged_by=merged_by,
        merge_user=merged_by or people.get(row.merge_user_id or 0),
        closed_by=people.get(row.closed_by_id or 0),
        detailed_merge_status=_detailed_status(row),
        blocking_discussions_resolved=not row.blocked_by_discussions,
        task_completion_status=completed_tasks(row.description or ""),
        merge_after=None,
        imported=False,
    )


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


class _SourceAndView(Row):
    source: DocumentSource
    view: MergeRequestView


async def _for_documents(tx: Tx, ids: list[int]) -> list[tuple[DocumentSource, MergeRequest]]:
    found = await tx.rows(
        _SourceAndView,
        f"SELECT {DOCUMENTS.source_columns}, {MergeRequestView.columns} FROM merge_requests mr {JOINED} WHERE mr.id IN :ids",
        ids=ids,
    )
    rows = [msgspec.structs.replace(row.view, full_path=PATH_SLOT) for row in found]
    requests = await without_late_statuses(tx, rows)
    for row, request in zip(rows, requests, strict=True):
        if request.milestone is not None and request.milestone.project_id is not UNSET:
            request.milestone.web_url = milestone_url(PATH_SLOT, request.milestone.iid, of_group=False)
        if is_decided_late(row, request):
            request.detailed_merge_status = COMPUTED_SLOT
    return list(zip([row.source for row in found], requests, strict=True))


async def _late_members(tx: Tx, ids: list[int]) -> dict[int, dict[str, str]]:
    statuses = await late_statuses(tx, ids)
    return {request_id: {"detailed_merge_status": status} for request_id, status in statuses.items()}


DOCUMENTS = Documents(
    "merge_request_documents", MergeRequest, _for_documents, of="merge_requests", alias="mr", variant=current_edition,
    computed=_late_members,
)  # fmt: skip


async def load_visible(tx: Tx, actor: Actor, ref: Ref, iid: int) -> tuple[DocumentView, SingleMergeRequest]:
    """The request, if the actor may read it, and its response: found and read by one statement."""
    row = await find_merge_request_as(
        DocumentView,
        tx,
        actor,
        ref,
        iid,
        joined=f"LEFT JOIN {NEWEST_VERSION} {DOCUMENTS.joined}",
        bound=DOCUMENTS.bound(tx),
    )
    members = await single_members(tx, actor, row, can_merge=await may_merge(tx, actor, row))
    shown = await DOCUMENTS.load_one(tx, (row.id, row.body, row.full_path), members=members)
    return row, cast("SingleMergeRequest", errors.or_not_found(shown, "Merge Request"))
