"""The lists of merge requests that pages show: those of the API, and what the rows of a page say besides."""

from typing import Annotated, LiteralString

import msgspec

from mujina.code.pipelines.rules import READ_PIPELINES
from mujina.kernel.db.documents import decoded
from mujina.kernel.db.rows import Row
from mujina.kernel.db.sql import descending
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.lists.pages import known_total
from mujina.kernel.permissions.actor import Actor
from mujina.planning.labels.entities import LabelChip
from mujina.review.approvals.approvers import REQUIRED
from mujina.review.merge_requests import filters, lists
from mujina.review.merge_requests.drafts import shown_title
from mujina.review.merge_requests.head_pipelines import HEAD_PIPELINE
from mujina.review.merge_requests.params import FilterMergeRequests
from mujina.review.merge_requests.readable_projects import ReviewedProjects
from mujina.review.merge_requests.search import matching
from mujina.review.merge_requests.views import MergeRequest

_POPULARITY: LiteralString = """(SELECT count(*) FROM awards award WHERE award.subject_kind = 'merge_request'
    AND award.subject_id = mr.id AND award.name = 'thumbsup')"""
_ORDERS = {"priority": filters.BY_PRIORITY, "popular": descending(_POPULARITY, "mr.id")}
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
            WHERE head.id = {HEAD_PIPELINE} AND {READ_PIPELINES.many})""",
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
    chosen = filters.apply_filters(projects.requests(actor), wanted)
    if wanted.search:
        chosen = await matching(tx, actor, projects, chosen, wanted.search, wanted.in_)
    if filters.has_filters(wanted):
        counts = await filters.count_by_state(tx, chosen)
    else:
        counts = await projects.count_by_state(tx, actor)
    chosen = filters.in_state(chosen, wanted.state)
    order = _ORDERS.get(query.order or "") or filters.order(wanted)
    found = await lists.listed(tx, chosen, order, page, known_total(counts[wanted.state]))
    items = decoded(found.items, MergeRequest)
    ids = [request.id for request in items]
    return ListedRequests(page.of(items, found.total), await facts_of(tx, actor, ids), await _labels(tx, ids), counts)


async def facts_of(tx: Tx, actor: Actor, ids: list[int]) -> dict[int, RequestFacts]:
    """The facts by the ids of requests that the actor may read."""
    if not ids:
        return {}
    rows = await tx.rows(
        RequestFacts,
        f"""SELECT {RequestFacts.columns} FROM merge_requests mr JOIN projects p ON p.id = mr.project_id
            LEFT JOIN merge_request_versions v ON v.id = (
                SELECT max(newest.id) FROM merge_request_versions newest WHERE newest.merge_request_id = mr.id)
            WHERE mr.id IN :ids""",
        ids=ids,
        **actor.bound,
    )
    return {row.id: row for row in rows}


async def _labels(tx: Tx, ids: list[int]) -> dict[int, list[LabelChip]]:
    found: dict[int, list[LabelChip]] = {id_: [] for id_ in ids}
    rows = await tx.rows(
        tuple[int, str, str, str | None],
        """SELECT ml.merge_request_id, l.title, l.color, l.description FROM merge_request_labels ml
           JOIN labels l ON l.id = ml.label_id WHERE ml.merge_request_id IN :ids ORDER BY l.title, l.id""",
        ids=ids,
    )
    for id_, title, color, description in rows:
        found[id_].append(LabelChip(title, color, description))
    return found
