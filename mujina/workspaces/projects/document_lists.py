"""Lists of what belongs to projects, read as stored documents: one statement for the page and its total."""

from collections.abc import Sequence
from typing import Any, LiteralString, TypeVar, cast

import msgspec

from mujina.kernel.db.documents import DocumentRow, Documents
from mujina.kernel.db.selection import Selection
from mujina.kernel.db.sql import Order, Sql
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.lists.pages import PagePlan, plan_counted, total_without_rows
from mujina.workspaces.projects.rules import PROJECT_AT

Entity = TypeVar("Entity", bound=msgspec.Struct)


async def listed(
    documents: Documents[Entity], tx: Tx, selection: Selection, order: Order, page: Page, count: Sql | None = None
) -> Paged[Entity]:
    """One page and the total: the ids come from an index, then only documents are read.

    `count`: a statement for the total that is cheaper than counting the selection.
    """
    count, plan = await plan_counted(tx, selection, order, page, count or Sql(selection.count))
    alias = documents.alias
    rows = await tx.rows(
        tuple[Any, ...],
        f"""SELECT {alias}.id, d.body, r.path, whole.total FROM (SELECT ({count.text}) AS total) whole
            CROSS JOIN ({_ids(tx, alias, selection, plan)}) {alias}
            JOIN routes r ON r.project_id = {alias}.project_id {documents.joined} ORDER BY {order.text_of(alias)}""",
        **selection.bound, **count.bound, **plan.bound, **documents.bound(tx),
    )  # fmt: skip
    total = rows[0][3] if rows else await total_without_rows(tx, selection, count, page)
    return page.of(await documents.page(tx, [row[:3] for row in rows]), total)


async def listed_in_project(
    documents: Documents[Entity], tx: Tx, selection: Selection, order: Order, page: Page,
    *, count: LiteralString, rights: LiteralString,
) -> tuple[Sequence[bool], Paged[Entity]]:  # fmt: skip
    """One page of the project `p` that the client names, with `rights` in it, which are columns; none: there is no such project.

    `selection` has to be empty where the actor may not read the project.
    """
    total, plan = await plan_counted(tx, selection, order, page, Sql(count), f"WITH {PROJECT_AT}")
    alias = documents.alias
    rows = await tx.rows(
        tuple[Any, ...],
        f"""WITH {PROJECT_AT}
            SELECT {alias}.id, d.body, r.path, ({total.text}), {rights} FROM p JOIN routes r ON r.project_id = p.id
            LEFT JOIN ({_ids(tx, alias, selection, plan)}) {alias} ON TRUE {documents.joined}
            ORDER BY {order.text_of(alias)}""",
        **selection.bound, **total.bound, **plan.bound, **documents.bound(tx),
    )  # fmt: skip
    if not rows:
        return (), page.of([], 0)
    # An empty page is one row without an entity.
    found = [] if rows[0][0] is None else [row[:3] for row in rows]
    return rows[0][4:], page.of(await documents.page(tx, found), rows[0][3])


def _ids(tx: Tx, alias: LiteralString, selection: Selection, plan: PagePlan) -> LiteralString:
    """The ids of the page, with the columns of its order."""
    return plan.text(tx.engine, f"SELECT {alias}.id, {alias}.project_id, {plan.order.columns} {selection.text}")


async def in_order(documents: Documents[Entity], tx: Tx, ids: list[int], order: Order) -> Sequence[Entity]:
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
