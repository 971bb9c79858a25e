"""Lists of what belongs to projects, read as stored documents: one statement for the page and its total."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, LiteralString, TypeVar, cast

import msgspec

from mujina.kernel.db.selection import Selection
from mujina.kernel.db.transaction import Tx, Value
from mujina.kernel.documents import DocumentRow, Documents
from mujina.kernel.paging import Page, Paged
from mujina.workspaces.projects.rules import PROJECT_AT

Entity = TypeVar("Entity", bound=msgspec.Struct)

KNOWN_TOTAL: LiteralString = "SELECT CAST(:total AS bigint)"
"""For a total that is bound as `:total`."""


class Walk(msgspec.Struct, frozen=True):
    """How a statement reaches a page."""

    order: LiteralString
    count: LiteralString
    """A statement for the total."""
    bound: dict[str, Value]
    expected: int | None = None
    """The total for which the way is right; None: any."""


async def walk(
    tx: Tx, chosen: Selection, order: LiteralString, page: Page, count: LiteralString, within: LiteralString = ""
) -> Walk:
    """The way to the page: a far one is reached from the nearer end, for which the total is counted first.

    `within`: what the count refers to (`WITH …`).
    """
    if not page.far:
        return Walk(order, count, {**chosen.bound, **page.bound})
    return _way(chosen, order, page, await tx.value(f"{within} SELECT ({count})", **chosen.bound))


def _way(chosen: Selection, order: LiteralString, page: Page, total: int) -> Walk:
    walked, bound = page.nearest(order, total)
    return Walk(walked, KNOWN_TOTAL, {**chosen.bound, **bound, "total": total})


MAX_REMEMBERED = 1_000
_totals: dict[tuple[LiteralString, str], int] = {}
"""How long lists were whose far pages were read, by their count and what it binds: whoever reads one reads the next."""


async def _probable_way(
    tx: Tx, chosen: Selection, order: LiteralString, page: Page, count: LiteralString, within: LiteralString = ""
) -> Walk:
    """The same without counting first, if the list was read before: its statement tells whether it has become longer."""
    total = _totals.get((count, repr(chosen.bound))) if page.far else None
    if total is None:
        way = await walk(tx, chosen, order, page, count, within)
    else:
        walked, bound = page.nearest(order, total)
        way = Walk(walked, count, {**chosen.bound, **bound}, None if walked == order else total)
    return way


def _is_other(way: Walk, chosen: Selection, page: Page, count: LiteralString, total: int) -> bool:
    """Whether the list is not as long as the way expects; remembers how long it is."""
    if page.far:
        _totals[count, repr(chosen.bound)] = total
        if len(_totals) > MAX_REMEMBERED:
            del _totals[next(iter(_totals))]
    return way.expected not in (None, total)


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

    async def read(way: Walk) -> tuple[list[Any], int]:
        text = _page(documents, way.count, chosen.text, way.order, order)
        rows = await tx.rows(tuple[Any, ...], text, **way.bound, **documents.bound(tx))
        return rows, rows[0][3] if rows else await total_without_rows(tx, way, page)

    way = await _probable_way(tx, chosen, order, page, counted)
    rows, total = await read(way)
    if _is_other(way, chosen, page, counted, total):
        rows, total = await read(_way(chosen, order, page, total))
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

    async def read(way: Walk) -> list[Any]:
        text = _page_of_project(documents, way.count, chosen.text, way.order, order, rights)
        return await tx.rows(tuple[Any, ...], text, **way.bound, **documents.bound(tx))

    way = await _probable_way(tx, chosen, order, page, count, f"WITH {PROJECT_AT}")
    rows = await read(way)
    if rows and _is_other(way, chosen, page, count, rows[0][3]):
        rows = await read(_way(chosen, order, page, rows[0][3]))
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
    rights: LiteralString,
) -> LiteralString:
    alias = documents.alias
    return f"""
        WITH {PROJECT_AT}
        SELECT {alias}.id, d.body, r.path, ({count}), {rights} FROM p JOIN routes r ON r.project_id = p.id
        LEFT JOIN ({_ids(alias, chosen, walked)}) {alias} ON TRUE {documents.joined} ORDER BY {order}"""


def _ids(alias: LiteralString, chosen: LiteralString, order: LiteralString) -> LiteralString:
    """The ids of the page, with the columns of its order."""
    columns = {"id", "project_id", *re.findall(rf"\b{alias}\.(\w+)", order)}
    selected = cast("LiteralString", ", ".join(f"{alias}.{column}" for column in sorted(columns)))
    return f"SELECT {selected} {chosen} ORDER BY {order} LIMIT :limit OFFSET :offset"
