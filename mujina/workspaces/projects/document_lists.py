"""Lists of what belongs to projects, read as stored documents: one statement for the page and its total."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, LiteralString, TypeVar, cast

import msgspec

from mujina.kernel.db.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.documents import DocumentRow, Documents
from mujina.kernel.page_plan import PagePlan, plan_page
from mujina.kernel.paging import Page, Paged
from mujina.workspaces.projects.rules import PROJECT_AT

Entity = TypeVar("Entity", bound=msgspec.Struct)


async def total_without_rows(tx: Tx, plan: PagePlan, page: Page) -> int:
    """The total, if the page has no row that carries it: it comes after the last, or the list is empty."""
    return await tx.value(plan.count, **plan.bound) if page.number > 1 else 0


async def listed(
    documents: Documents[Entity],
    tx: Tx,
    chosen: Selection,
    order: LiteralString,
    page: Page,
    count: LiteralString | None = None,
) -> Paged[Entity]:
    """One page and the total: the ids come from an index, then only documents are read.

    `count`: a statement for the total that is cheaper than counting the selection.
    """
    plan = await plan_page(tx, chosen, order, page, count or chosen.count)
    text = _page(documents, plan.count, chosen.text, plan.order, order)
    rows = await tx.rows(tuple[Any, ...], text, **plan.bound, **documents.bound(tx))
    total = rows[0][3] if rows else await total_without_rows(tx, plan, page)
    return page.of(await documents.page(tx, [row[:3] for row in rows]), total)


async def listed_in_project(
    documents: Documents[Entity],
    tx: Tx,
    chosen: Selection,
    order: LiteralString,
    page: Page,
    *,
    count: LiteralString,
    rights: LiteralString,
) -> tuple[Sequence[bool], Paged[Entity]]:
    """The same for the project `p` that the client names, with `rights` in it, which are columns; none: there is no such project.

    `chosen` has to be empty where the actor may not read the project.
    """
    plan = await plan_page(tx, chosen, order, page, count, f"WITH {PROJECT_AT}")
    text = _page_of_project(documents, plan.count, chosen.text, plan.order, order, rights)
    rows = await tx.rows(tuple[Any, ...], text, **plan.bound, **documents.bound(tx))
    if not rows:
        return (), page.of([], 0)
    # An empty page is one row without an entity.
    found = [] if rows[0][0] is None else [row[:3] for row in rows]
    return rows[0][4:], page.of(await documents.page(tx, found), rows[0][3])


async def in_order(documents: Documents[Entity], tx: Tx, ids: list[int], order: LiteralString) -> Sequence[Entity]:
    """The entities of these ids, in this order."""
    rows = await tx.rows(
        tuple[Any, ...],
        f"""SELECT {documents.alias}.id, d.body, r.path FROM {documents.rows}
            JOIN routes r ON r.project_id = {documents.alias}.project_id {documents.joined}
            WHERE {documents.alias}.id IN :ids ORDER BY {order}""",
        ids=ids,
        **documents.bound(tx),
    )
    return await documents.page(tx, cast("list[DocumentRow]", rows))


@lru_cache(1024)
def _page(
    documents: Documents[Any], count: LiteralString, chosen: LiteralString, walked: LiteralString, order: LiteralString
) -> LiteralString:
    alias = documents.alias
    return f"""
        SELECT {alias}.id, d.body, r.path, whole.total FROM (SELECT ({count}) AS total) whole
        CROSS JOIN ({_ids(alias, chosen, walked)}) {alias}
        JOIN routes r ON r.project_id = {alias}.project_id {documents.joined} ORDER BY {order}"""


@lru_cache(1024)
def _page_of_project(
    documents: Documents[Any],
    count: LiteralString,
    chosen: LiteralString,
    walked: LiteralString,
    order: LiteralString,
    shown: LiteralString,
) -> LiteralString:
    alias = documents.alias
    return f"""
        WITH {PROJECT_AT}
        SELECT {alias}.id, d.body, r.path, ({count}), {shown} FROM p JOIN routes r ON r.project_id = p.id
        LEFT JOIN ({_ids(alias, chosen, walked)}) {alias} ON TRUE {documents.joined} ORDER BY {order}"""


def _ids(alias: LiteralString, chosen: LiteralString, order: LiteralString) -> LiteralString:
    """The ids of the page, with the columns of its order."""
    columns = {"id", "project_id", *re.findall(rf"\b{alias}\.(\w+)", order)}
    selected = cast("LiteralString", ", ".join(f"{alias}.{column}" for column in sorted(columns)))
    return f"SELECT {selected} {chosen} ORDER BY {order} LIMIT :limit OFFSET :offset"
