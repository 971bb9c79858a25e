"""Lists of merge requests and single requests, read as stored documents with one statement.

Requests without a valid document are computed, with two statements however many they are. Who could still approve a request
depends on members, groups, dates and access: documents leave that open, and a statement for the page answers it.
"""

from typing import Annotated, cast

import msgspec

from mujina.instance.editions.rules import current_edition
from mujina.kernel import errors
from mujina.kernel.db.documents import COMPUTED_SLOT, PATH_SLOT, Documents, DocumentSource
from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.params import UNSET, Ref
from mujina.kernel.permissions.actor import Actor
from mujina.planning.milestones.entities import milestone_url
from mujina.review.merge_requests.entities import (
    approval_statuses,
    single_members,
    waits_for_approval,
    without_approvals,
)
from mujina.review.merge_requests.rules import TRIAGE_MERGE_REQUEST, find_merge_request_as, may_merge
from mujina.review.merge_requests.views.entity import (
    JOINED,
    VERSION_JOIN,
    MergeRequest,
    MergeRequestView,
    SingleColumns,
    SingleMergeRequest,
)


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
    requests = await without_approvals(tx, rows)
    for row, request in zip(rows, requests, strict=True):
        if request.milestone is not None and request.milestone.project_id is not UNSET:
            request.milestone.web_url = milestone_url(PATH_SLOT, request.milestone.iid, of_group=False)
        if waits_for_approval(row, request):
            request.detailed_merge_status = COMPUTED_SLOT
    return list(zip([row.source for row in found], requests, strict=True))


DOCUMENTS = Documents(
    "merge_request_documents", MergeRequest, _for_documents, of="merge_requests", alias="mr", variant=current_edition,
    computed=approval_statuses,
)  # fmt: skip


class DocumentView(SingleColumns):
    """The document of a single request, what it leaves open, and what decides whether its merge status is known."""

    id: int
    project_id: int
    iid: int
    state: str
    full_path: Annotated[str, "r.path"]
    storage: Annotated[str, "p.repository_storage"]
    source_branch: str
    target_branch: str
    merge_status: str
    checked_pair: str
    archived: Annotated[bool, "p.archived"]
    level: Annotated[int, "p.level"]
    triager: Annotated[bool, TRIAGE_MERGE_REQUEST]
    body: Annotated[str | None, "d.body"]


async def visible(tx: Tx, actor: Actor, ref: Ref, iid: int) -> tuple[DocumentView, SingleMergeRequest]:
    """The request, if the actor may read it, and its response: found and read by one statement."""
    row = await find_merge_request_as(
        DocumentView, tx, actor, ref, iid, joined=f"{VERSION_JOIN} {DOCUMENTS.joined}", bound=DOCUMENTS.bound(tx)
    )
    members = await single_members(tx, actor, row, can_merge=await may_merge(tx, actor, row))
    shown = await DOCUMENTS.load_one(tx, (row.id, row.body, row.full_path), members=members)
    return row, cast("SingleMergeRequest", errors.or_not_found(shown, "Merge Request"))
