"""Lists of issues and single issues, read as stored documents with one statement.

Issues without a valid document are computed, with two statements however many they are.
"""

from collections.abc import Sequence
from typing import Annotated, Any, LiteralString, cast

import msgspec

from mujina.instance.editions.rules import current_edition
from mujina.kernel import errors
from mujina.kernel.actor import Actor
from mujina.kernel.db.rows import Row
from mujina.kernel.db.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.documents import PATH_SLOT, TAIL_SLOT, Documents, DocumentSource, decoded
from mujina.kernel.paging import Page, Paged
from mujina.kernel.params import Ref
from mujina.planning.issues.entities import JOINED, Issue, IssueView, issues_url, links_of, with_labels_and_assignees
from mujina.planning.issues.participants import SUBSCRIBED
from mujina.planning.issues.rules import find_issue_as


async def _for_documents(tx: Tx, ids: list[int]) -> list[tuple[DocumentSource, Issue]]:
    rows = await tx.rows(
        tuple[Any, ...],
        f"SELECT {DOCUMENTS.source_columns}, {IssueView.columns} FROM issues i {JOINED} WHERE i.id IN :ids",
        ids=ids,
    )
    sources = [DocumentSource(*row[:4]) for row in rows]
    issues = await with_labels_and_assignees(
        tx, msgspec.convert([row[4:] for row in rows], list[IssueView], strict=False)
    )
    for issue in issues:
        issue.web_url = f"{issues_url(PATH_SLOT)}{issue.iid}"
        if issue.milestone is not None:
            issue.milestone.closed_at = TAIL_SLOT  # only a single issue has it
    return list(zip(sources, issues, strict=True))


DOCUMENTS = Documents(
    "issue_documents", Issue, _for_documents, id="i.id", project="i.project_id", variant=current_edition
)


class _DocumentView(Row, alias="i"):
    """The document of a single issue, and what it leaves open."""

    id: int
    iid: int
    project_id: int
    full_path: Annotated[str, "r.path"]
    subscribed: Annotated[bool, SUBSCRIBED]
    milestone_closed_at: Annotated[str | None, "ms.closed_at"]
    body: Annotated[str | None, "d.body"]


KNOWN_TOTAL: LiteralString = "SELECT CAST(:total AS bigint)"
"""For a total that is bound as `:total`."""


async def listed(
    tx: Tx, chosen: Selection, order: LiteralString, page: Page, count: LiteralString | None = None
) -> Paged[Issue]:
    """One page and the total: the ids come from an index, then only those rows are read.

    `count`: a statement for the total that is cheaper than counting the selection.
    """
    count = count or chosen.count
    walked, bound = order, page.bound
    if page.far:
        total = await tx.value(count, **chosen.bound)
        walked, bound = page.nearest(order, total)
        count, chosen.bound["total"] = KNOWN_TOTAL, total
    rows = await tx.rows(
        tuple[Any, ...],
        f"""
        SELECT i.id, d.body, r.path, whole.total FROM (SELECT ({count}) AS total) whole
        CROSS JOIN (
            SELECT i.id, i.project_id, {order.split(" ")[0]} {chosen.text} ORDER BY {walked} LIMIT :limit OFFSET :offset
        ) i JOIN routes r ON r.project_id = i.project_id {DOCUMENTS.joined} ORDER BY {order}
        """,
        **chosen.bound,
        **bound,
        **DOCUMENTS.bound(tx),
    )
    # A page after the last has no row that carries the total.
    total = rows[0][-1] if rows else await tx.value(count, **chosen.bound) if page.number > 1 else 0
    return page.of(await DOCUMENTS.page(tx, [row[:3] for row in rows]), total)


async def found(tx: Tx, chosen: Selection, order: LiteralString, page: Page) -> Paged[Issue]:
    """One page of a search and its total; the candidates are read once for both."""
    # Matches are computed first: with the limit in the plan, PostgreSQL would walk the order row by row.
    rows = await tx.rows(
        tuple[int, int],
        f"""WITH i AS MATERIALIZED (SELECT i.id, i.created_at, i.updated_at {chosen.text})
            SELECT i.id, (SELECT count(*) FROM i) FROM i ORDER BY {order} LIMIT :limit OFFSET :offset""",
        **chosen.bound,
        **page.bound,
    )
    # A page after the last has no row that carries the total.
    total = rows[0][1] if rows else await chosen.total(tx)
    return page.of(await in_order(tx, [id_ for id_, _ in rows], order), total)


async def sorted_by(tx: Tx, chosen: Selection, order: LiteralString, page: Page) -> Paged[Issue]:
    """One page and the total in an order that no index has: every chosen issue is sorted."""
    ids: list[int] = await tx.values(
        f"SELECT i.id {chosen.text} ORDER BY {order} LIMIT :limit OFFSET :offset", **chosen.bound, **page.bound
    )
    issues = {issue.id: issue for issue in decoded(await in_order(tx, ids, "i.id"), Issue)}
    return page.of([issues[id_] for id_ in ids if id_ in issues], await chosen.total(tx))


async def in_order(tx: Tx, ids: list[int], order: LiteralString) -> Sequence[Issue]:
    """The issues of these ids, in this order."""
    rows = await tx.rows(
        tuple[Any, ...],
        f"""SELECT i.id, d.body, r.path FROM issues i JOIN routes r ON r.project_id = i.project_id {DOCUMENTS.joined}
            WHERE i.id IN :ids ORDER BY {order}""",
        ids=ids,
        **DOCUMENTS.bound(tx),
    )
    return await DOCUMENTS.page(tx, cast("list[tuple[int, str | None, str]]", rows))


async def visible(tx: Tx, actor: Actor, ref: Ref, iid: int) -> Issue:
    """The issue, if the actor may read it: found and read by one statement."""
    row = await find_issue_as(
        _DocumentView, tx, actor, ref, iid,
        joined=f"LEFT JOIN milestones ms ON ms.id = i.milestone_id {DOCUMENTS.joined}", bound=DOCUMENTS.bound(tx),
    )  # fmt: skip
    issue = await DOCUMENTS.single(
        tx,
        (row.id, row.body, row.full_path),
        tail={"closed_at": row.milestone_closed_at},
        members={"subscribed": row.subscribed, "_links": links_of(row.project_id, row.iid)},
    )
    if issue is None:
        raise errors.not_found("Issue")
    return issue
