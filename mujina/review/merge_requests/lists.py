"""Lists of merge requests: one page and the total."""

from functools import partial

from mujina.kernel.db.documents import decoded
from mujina.kernel.db.selection import Selection
from mujina.kernel.db.sql import Order, Sql
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.lists.pages import plan_counted, total_without_rows
from mujina.planning.labels import colors
from mujina.review.merge_requests import entities
from mujina.review.merge_requests.documents import DOCUMENTS
from mujina.review.merge_requests.views import (
    LabelDetails,
    MergeRequest,
    MergeRequestSummary,
    SimpleMergeRequest,
    SimpleMergeRequestView,
)
from mujina.workspaces.projects import document_lists


async def listed_simply(
    tx: Tx, selection: Selection, order: Order, page: Page, count: Sql | None = None
) -> Paged[SimpleMergeRequest]:
    """One page of a list with `view=simple`."""
    count, plan = await plan_counted(tx, selection, order, page, count or Sql(selection.count))
    text = plan.text(tx.engine, f"SELECT mr.id, ({count.text}) {selection.text}")
    rows = await tx.rows(tuple[int, int], text, **selection.bound, **count.bound, **plan.bound)
    total = rows[0][1] if rows else await total_without_rows(tx, selection, count, page)
    # By another statement: PostgreSQL does not know how short a page is, and would join all requests.
    requests = await tx.rows(
        SimpleMergeRequestView,
        f"""SELECT {SimpleMergeRequestView.columns} FROM merge_requests mr
            JOIN routes r ON r.project_id = mr.project_id WHERE mr.id IN :ids ORDER BY {order.text}""",
        ids=[id_ for id_, _ in rows],
    )
    return page.of([entities.simple(row) for row in requests], total)


listed = partial(document_lists.listed, DOCUMENTS)


async def listed_with_labels(
    tx: Tx, selection: Selection, order: Order, page: Page, count: Sql | None = None
) -> Paged[MergeRequest]:
    """Returns the page with the details of labels."""
    found = await listed(tx, selection, order, page, count)
    requests = decoded(found.items, MergeRequest)
    await _detail_labels(tx, requests)
    return page.of(requests, found.total)


async def _detail_labels(tx: Tx, requests: list[MergeRequest]) -> None:
    """Replace the titles of labels by labels."""
    found = await tx.rows(
        tuple[int, int, str, str, str | None],
        """SELECT ml.merge_request_id, l.id, l.title, l.color, l.description FROM merge_request_labels ml
           JOIN labels l ON l.id = ml.label_id WHERE ml.merge_request_id IN :ids ORDER BY l.title, l.id""",
        ids=[request.id for request in requests],
    )
    for request in requests:
        request.labels = [
            LabelDetails(id_, title, color, description, colors.text_color(color))
            for request_id, id_, title, color, description in found
            if request_id == request.id
        ]


async def summarized(tx: Tx, selection: Selection, order: Order, page: Page) -> Paged[MergeRequestSummary]:
    """Returns the page with the fields of the specification alone."""
    found = await listed(tx, selection, order, page)
    return page.of(decoded(found.items, MergeRequestSummary), found.total)
