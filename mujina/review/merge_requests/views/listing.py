"""Lists of merge requests: as the views of the API show them, and as the rows of pages do."""

from typing import Annotated, LiteralString

import msgspec

from mujina.code.pipelines.rules import READ_PIPELINES
from mujina.kernel.db.documents import decoded
from mujina.kernel.db.rows import Row
from mujina.kernel.db.sql.selection import Order, Selection, descending
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.lists.pages import load_documents
from mujina.kernel.permissions.actor import Actor
from mujina.planning.labels.entities import LabelChip
from mujina.planning.work_items.label_details import label_details
from mujina.planning.work_items.lists.plans import count_by_state, load_page
from mujina.review.approvals.approvers import REQUIRED
from mujina.review.merge_requests.declarations.work_item import MERGE_REQUESTS
from mujina.review.merge_requests.drafts import shown_title
from mujina.review.merge_requests.entities import DOCUMENTS
from mujina.review.merge_requests.filters import BY_PRIORITY, ReviewedProjects
from mujina.review.merge_requests.head_pipelines import HEAD_PIPELINE
from mujina.review.merge_requests.params import FilterMergeRequests, ListMergeRequests
from mujina.review.merge_requests.views.merge_request import (
    MergeRequest,
    MergeRequestSummary,
    SimpleMergeRequest,
)
from mujina.review.versions.rules import NEWEST_VERSION


async def in_view(
    tx: Tx, query: ListMergeRequests, found: Paged[MergeRequest]
) -> Paged[MergeRequest] | Paged[SimpleMergeRequest]:
    """The page as the query asks for it: with fewer fields, or with the details of labels."""
    if query.view == "simple":
        return found.with_items(decoded(found.items, SimpleMergeRequest))
    if query.with_labels_details is not True:
        return found
    requests = decoded(found.items, MergeRequest)
    labels = await label_details(tx, MERGE_REQUESTS, [request.id for request in requests])
    for request in requests:
        request.labels = [*labels[request.id]]
    return found.with_items(requests)


async def load_simple(tx: Tx, selection: Selection, order: Order, page: Page) -> Paged[SimpleMergeRequest]:
    """One page with the fields of `view=simple`."""
    found = await load_documents(DOCUMENTS, tx, selection, order, page)
    return found.with_items(decoded(found.items, SimpleMergeRequest))


async def load_summaries(tx: Tx, selection: Selection, order: Order, page: Page) -> Paged[MergeRequestSummary]:
    """One page with the fields of the specification alone."""
    found = await load_documents(DOCUMENTS, tx, selection, order, page)
    return found.with_items(decoded(found.items, MergeRequestSummary))


_POPULARITY: LiteralString = """(SELECT count(*) FROM awards award WHERE award.subject_kind = 'merge_request'
    AND award.subject_id = mr.id AND award.name = 'thumbsup')"""
_ORDERS = {"priority": BY_PRIORITY, "popular": descending(_POPULARITY, "mr.id")}
"""The orders of a page that the API lacks."""


class RequestFacts(Row, alias="mr"):
    """The facts that a row shows besides the request (`mr`): about its project (`p`) and its newest version (`v`)."""

    id: int
    title: str
    default_branch: Annotated[str | None, "p.default_branch"]
    required: Annotated[int, REQUIRED]
    approvals: Annotated[int, "(SELECT count(*) FROM approvals given WHERE given.merge_request_id = mr.id)"]
    threads: Annotated[
        int,
        """(SELECT count(DISTINCT note.discussion_id) FROM notes note WHERE note.noteable_kind = 'merge_request'
            AND note.noteable_id = mr.id AND NOT note.system AND NOT note.individual AND note.resolved_at IS NULL)""",
    ]
    """Unresolved ones."""
    status: Annotated[
        str | None,
        f"""(SELECT head.status FROM pipelines head JOIN projects p ON p.id = head.project_id AND p.deleted_at IS NULL
            WHERE head.id = {HEAD_PIPELINE} AND {READ_PIPELINES.for_scan})""",
    ]
    """The status of its pipeline, if the reader may see those of the source project."""

    @property
    def shown_title(self) -> str:
        return shown_title(self.title)


PARTS = {"merge_requests": ("merge_requests", "states", "active")}
"""The blocks that a search as you type replaces: the list, the tabs with its counts, and the filters in use."""


class ListedRequests(msgspec.Struct, frozen=True):
    """One page of a list, and by the ids of its requests what their rows say."""

    paged: Paged[MergeRequest]
    facts: dict[int, RequestFacts]
    labels: dict[int, list[LabelChip]]
    counts: dict[str, int]
    """How many the same filters find in each state, and in all."""


async def read_list(
    tx: Tx, actor: Actor, projects: ReviewedProjects, query: FilterMergeRequests, page: Page
) -> ListedRequests:
    """The requests of these projects that match the query, with at most six statements; `projects` have some of any state."""
    wanted = query.as_query()
    counts = await count_by_state(tx, actor, projects, wanted)
    order = _ORDERS.get(query.order or "")
    found = await load_page(tx, actor, projects, wanted, page, counts[wanted.state], order)
    items = decoded(found.items, MergeRequest)
    ids = [request.id for request in items]
    return ListedRequests(found.with_items(items), await facts_of(tx, actor, ids), await _labels(tx, ids), counts)


async def facts_of(tx: Tx, actor: Actor, ids: list[int]) -> dict[int, RequestFacts]:
    """The facts by the ids of requests that the actor may read."""
    if not ids:
        return {}
    rows = await tx.rows(
        RequestFacts,
        f"""SELECT {RequestFacts.columns} FROM merge_requests mr JOIN projects p ON p.id = mr.project_id
            LEFT JOIN {NEWEST_VERSION}
            WHERE mr.id IN :ids""",
        ids=ids,
        **actor.bound,
    )
    return {row.id: row for row in rows}


async def _labels(tx: Tx, ids: list[int]) -> dict[int, list[LabelChip]]:
    found = await label_details(tx, MERGE_REQUESTS, ids)
    return {
        id_: [LabelChip(each.name, each.color, each.description) for each in labels] for id_, labels in found.items()
    }
