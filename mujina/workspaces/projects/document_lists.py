"""Lists of what belongs to projects, read as stored documents: one statement for the page and its total."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, LiteralString, TypeVar, cast

import msgspec

from mujina.kernel.db.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.documents import DocumentRow, Documents
from mujina.kernel.far_pages import FarPage, Walk
from mujina.kernel.paging import Page, Paged
from mujina.workspaces.projects.rules import PROJECT_AT

Entity = TypeVar("Entity", bound=msgspec.Struct)


async def total_without_rows(tx: Tx, way: Walk, page: Page) -> int:
    """The total, if the page has no row that carries it: it comes after the last, or the list is empty."""
    return await tx.value(way.count, **way.bound) if page.number > 1 else 0


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
    counted = count or chosen.count

    far = FarPage(documents.of, documents.alias, chosen, order, page, counted)
    way: Walk | None = await far.way(tx)
    rows, total = list[Any](), 0
    while way is not None:
        text = _page(documents, way.count, f"{chosen.text} {way.since}", way.order, order)
        rows = await tx.rows(tuple[Any, ...], text, **way.bound, **documents.bound(tx))
        total = rows[0][3] if rows else await total_without_rows(tx, way, page)
        way = far.learn(tx, way, [row[0] for row in rows], total)
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
    state: LiteralString = "",
) -> tuple[Sequence[bool], Paged[Entity]]:
    """The same for the project `p` that the client names, with `rights` in it, which are columns; none: there is no such project.

    `chosen` has to be empty where the actor may not read the project. `state`: a statement that tells whether known places
    of the list are still right (`far_pages.py`), if there is one.
    """
    far = FarPage(documents.of, documents.alias, chosen, order, page, count, f"WITH {PROJECT_AT}", state)
    shown: LiteralString = f"{rights}, ({far.state})" if far.state else rights
    way: Walk | None = await far.way(tx)
    rows, found, shown_rights = list[Any](), list[Any](), tuple[Any, ...]()
    while way is not None:
        text = _page_of_project(documents, way.count, f"{chosen.text} {way.since}", way.order, order, shown)
        rows = await tx.rows(tuple[Any, ...], text, **way.bound, **documents.bound(tx))
        if not rows:
            return (), page.of([], 0)
        # An empty page is one row without an entity.
        found = [] if rows[0][0] is None else [row[:3] for row in rows]
        shown_rights, seen = (rows[0][4:-1], rows[0][-1]) if far.state else (rows[0][4:], None)
        way = far.learn(tx, way, [row[0] for row in found], rows[0][3], seen)
    return shown_rights, page.of(await documents.page(tx, found), rows[0][3])


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
