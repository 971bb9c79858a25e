"""Pages of stored documents: one statement finds the page, its documents and the total of the list."""

from collections.abc import Sequence
from typing import Any, LiteralString, NamedTuple, TypeVar, cast

import msgspec

from mujina.kernel.db.documents import DocumentRow, Documents
from mujina.kernel.db.sql.pieces import Order
from mujina.kernel.db.sql.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.lists.pages import PagePlan, plan_counted, plan_page

Entity = TypeVar("Entity", bound=msgspec.Struct)


async def load_documents(
    documents: Documents[Entity], tx: Tx, selection: Selection, order: Order, page: Page
) -> Paged[Entity]:
    """One page and the total: the ids come from an index, then only documents are read."""
    selection, plan = await plan_counted(tx, selection, order, page)
    alias, count = documents.alias, selection.count
    rows = await tx.rows(
        tuple[Any, ...],
        f"""SELECT {alias}.id, d.body, r.path, whole.total FROM (SELECT ({count.text}) AS total) whole
            CROSS JOIN ({_ids(tx, alias, selection, plan)}) {alias}
            JOIN routes r ON r.project_id = {alias}.project_id {documents.joined} ORDER BY {order.of(alias).text}""",
        **count.bound, **plan.bound, **documents.bound(tx),
    )  # fmt: skip
    return page.of(await documents.page(tx, [row[:3] for row in rows]), await _total(tx, selection, rows, page))


async def _total(tx: Tx, selection: Selection, rows: Sequence[Sequence[Any]], page: Page) -> int:
    """The total, which is the last column; a page after the last has no row that carries it."""
    return rows[0][-1] if rows else await selection.total(tx) if page.number > 1 else 0


class ListOfProject(NamedTuple):
    """What a list inside one project adds to its statement."""

    project: LiteralString
    """The project `p` that the client names, for `WITH`."""
    rights: LiteralString
    """Columns: what the actor may do there."""


async def load_documents_in(
    documents: Documents[Entity], tx: Tx, selection: Selection, order: Order, page: Page, inside: ListOfProject
) -> tuple[Sequence[bool], Paged[Entity]]:
    """One page of one project, with the rights there; no rights: there is no such project.

    `selection` has to be empty where the actor may not read the project.
    """
    selection, plan = await plan_counted(tx, selection, order, page, f"WITH {inside.project}")
    alias, count = documents.alias, selection.count
    rows = await tx.rows(
        tuple[Any, ...],
        f"""WITH {inside.project}
            SELECT {alias}.id, d.body, r.path, ({count.text}), {inside.rights}
            FROM p JOIN routes r ON r.project_id = p.id
            LEFT JOIN ({_ids(tx, alias, selection, plan)}) {alias} ON TRUE {documents.joined}
            ORDER BY {order.of(alias).text}""",
        **count.bound, **plan.bound, **documents.bound(tx),
    )  # fmt: skip
    if not rows:
        return (), page.of([], 0)
    # An empty page is one row without an entity.
    found = [] if rows[0][0] is None else [row[:3] for row in rows]
    return rows[0][4:], page.of(await documents.page(tx, found), rows[0][3])


def _ids(tx: Tx, alias: LiteralString, selection: Selection, plan: PagePlan) -> LiteralString:
    """The ids of the page, with the columns of its order."""
    return plan.text(tx.engine, f"SELECT {alias}.id, {alias}.project_id, {plan.order.columns} {selection.text}")


async def load_matches(
    documents: Documents[Entity], tx: Tx, selection: Selection, order: Order, page: Page
) -> Paged[Entity]:
    """One page of a search and its total; the candidates are read once for both."""
    # Matches are computed first: with the limit in the plan, PostgreSQL would walk the order row by row.
    plan = plan_page(order.of("found"), page)
    rows = await tx.rows(
        tuple[int, int],
        f"""WITH found AS MATERIALIZED (SELECT {documents.alias}.id, {order.columns} {selection.text})
            {plan.text(tx.engine, "SELECT found.id, (SELECT count(*) FROM found) FROM found")}""",
        **selection.bound,
        **plan.bound,
    )
    found = await load_documents_of(documents, tx, [id_ for id_, _ in rows], order)
    return page.of(found, await _total(tx, selection, rows, page))


async def load_documents_of(documents: Documents[Entity], tx: Tx, ids: list[int], order: Order) -> Sequence[Entity]:
    """The entities of these ids, in this order."""
    rows = await tx.rows(
        tuple[Any, ...],
        f"""SELECT {documents.alias}.id, d.body, r.path FROM {documents.rows}
            JOIN routes r ON r.project_id = {documents.alias}.project_id {documents.joined}
            WHERE {documents.alias}.id IN :ids ORDER BY {order.text}""",
        ids=ids,
        **documents.bound(tx),
    )
    return await documents.page(tx, cast("list[DocumentRow]", rows))
