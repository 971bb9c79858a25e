"""Lists of merge requests: one page and the total."""

from typing import LiteralString

from mujina.kernel import clock
from mujina.kernel.db.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.paging import Page, Paged
from mujina.planning.issues.documents import KNOWN_TOTAL
from mujina.planning.labels import colors
from mujina.review.merge_requests import entities
from mujina.review.merge_requests.entities import (
    JOINED,
    LabelDetails,
    MergeRequest,
    MergeRequestSummary,
    MergeRequestView,
    SimpleMergeRequest,
    SimpleMergeRequestView,
)


async def listed_simply(
    tx: Tx, chosen: Selection, order: LiteralString, page: Page, count: LiteralString | None = None
) -> Paged[SimpleMergeRequest]:
    """One page of a list with `view=simple`."""
    ids, total = await _page(tx, chosen, order, page, count)
    rows = await tx.rows(
        SimpleMergeRequestView,
        f"""SELECT {SimpleMergeRequestView.columns} FROM merge_requests mr
            JOIN routes r ON r.project_id = mr.project_id WHERE mr.id IN :ids ORDER BY {order}""",
        ids=ids,
    )
    return page.of([entities.simple(row) for row in rows], total)


async def listed(
    tx: Tx,
    chosen: Selection,
    order: LiteralString,
    page: Page,
    count: LiteralString | None = None,
    *,
    details: bool = False,
) -> Paged[MergeRequest]:
    """One page and the total. `details`: of labels."""
    ids, total = await _page(tx, chosen, order, page, count)
    rows = await tx.rows(
        MergeRequestView,
        f"SELECT {MergeRequestView.columns} FROM merge_requests mr {JOINED} WHERE mr.id IN :ids ORDER BY {order}",
        ids=ids,
        today=clock.today(),
    )
    requests = await entities.in_lists(tx, rows)
    if details:
        await _detail_labels(tx, requests)
    return page.of(requests, total)


async def _page(
    tx: Tx, chosen: Selection, order: LiteralString, page: Page, count: LiteralString | None
) -> tuple[list[int], int]:
    """The ids of the page, from an index, and the total; `count`: a statement that is cheaper than counting.

    The rows are read by another statement: PostgreSQL does not know how short a page is, and would join all requests.
    """
    count = count or chosen.count
    walked, bound = order, page.bound
    if page.far:
        total = await tx.value(count, **chosen.bound)
        walked, bound = page.nearest(order, total)
        count, chosen.bound["total"] = KNOWN_TOTAL, total
    rows = await tx.rows(
        tuple[int, int],
        f"SELECT mr.id, ({count}) {chosen.text} ORDER BY {walked} LIMIT :limit OFFSET :offset",
        **chosen.bound,
        **bound,
    )
    # A page after the last has no row that carries the total.
    total = rows[0][1] if rows else await tx.value(count, **chosen.bound) if page.number > 1 else 0
    return [id_ for id_, _ in rows], total


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


async def summarized(tx: Tx, chosen: Selection, order: LiteralString, page: Page) -> Paged[MergeRequestSummary]:
    """The same with the fields of the specification alone."""
    requests = await listed(tx, chosen, order, page)
    fields = MergeRequestSummary.__struct_fields__
    shown = [MergeRequestSummary(**{name: getattr(request, name) for name in fields}) for request in requests.items]
    return page.of(shown, requests.total)
