"""From a selection to one page of a list: each statement that reads a page is written here.

The plan of a page says from which end of the list a statement reads. PostgreSQL plans a prepared statement once, before its
values are known, and for `LIMIT $1 OFFSET $2` it then expects a tenth of all rows. So it collects, hashes and sorts a whole
table for a page that twenty steps along an index would give. A number in the text is known to the planner: it says how far
the page reaches, rounded up, so that each statement has a few texts; the exact limit and offset stay bound, around it.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, LiteralString, TypeVar, cast

import msgspec

from mujina.kernel.db.rows import AnyRow, Row
from mujina.kernel.db.sql.pieces import Order
from mujina.kernel.db.sql.selection import Selection
from mujina.kernel.db.transaction import Engine, Tx
from mujina.kernel.http.paging import Page, Paged

_REACHES: dict[int, LiteralString] = {
    20: "20", 100: "100", 1_000: "1000", 10_000: "10000", 100_000: "100000", 1_000_000: "1000000",
}  # fmt: skip
_LARGEST_PAGE = 100

Shape = TypeVar("Shape")


class PagePlan(msgspec.Struct, frozen=True):
    """The rows that a statement reads: so many, in this order, after it has skipped some."""

    order: Order
    limit: int
    offset: int = 0
    backwards: bool = False
    """Whether the order is the reverse of the order of the list."""

    @property
    def bound(self) -> dict[str, int]:
        """The parameters `:limit` and `:offset`."""
        return {"limit": self.limit, "offset": self.offset}

    def text(self, engine: Engine, rows: LiteralString) -> LiteralString:
        """The page of `rows`, a statement without an order: `SELECT … FROM … WHERE …`."""
        ordered: LiteralString = f"{rows} ORDER BY {self.order.text}"
        if engine == "sqlite":
            return f"{ordered} LIMIT :limit OFFSET :offset"
        end = self.limit + self.offset
        reach = next((reach for reach in _REACHES if end <= reach), None)
        reached: LiteralString = ordered if reach is None else f"{ordered} LIMIT {_REACHES[reach]}"
        page: LiteralString = f"SELECT * FROM ({reached}) reached LIMIT :limit OFFSET :offset"
        if reach is None or reach > _LARGEST_PAGE:  # what joins the page expects no more rows than a page has
            return f"SELECT * FROM ({page}) page LIMIT 100"
        return page

    def sorted(self, rows: list[Shape]) -> list[Shape]:
        """The rows of the statement in the order of the list."""
        return rows[::-1] if self.backwards else rows


def plan_page(order: Order, page: Page, total: int | None = None) -> PagePlan:
    """A page is read from the start; if it is far and the total is known, from the nearer end.

    If the total is known, no more rows are looked for than there are.
    """
    limit = page.size if total is None else max(0, min(page.size, total - page.start))
    if total is None or not page.far or page.start * 2 <= total:
        return PagePlan(order, limit, page.start)
    return PagePlan(order.reversed, limit, max(0, total - page.end), backwards=True)


async def plan_counted(
    tx: Tx, selection: Selection, order: Order, page: Page, within: LiteralString = ""
) -> tuple[Selection, PagePlan]:
    """The plan of the page; for a far one the total is counted first, which the selection then has.

    `within`: what the selection refers to (`WITH …`).
    """
    if not page.far:
        return selection, plan_page(order, page)
    total = await selection.total(tx, within)
    return selection.counted(total), plan_page(order, page, total)


async def _paged(tx: Tx, selection: Selection, page: Page, rows: list[Shape]) -> Paged[Shape]:
    """The page with its total; the list ends with a page that is not full, which needs no count."""
    is_last = len(rows) < page.size and (bool(rows) or page.number == 1)
    return page.of(rows, page.start + len(rows) if is_last else await selection.total(tx))


async def load_rows(
    tx: Tx, shape: type[Shape], selection: Selection, order: Order, page: Page,
    *, columns: LiteralString | None = None,
) -> Paged[Shape]:  # fmt: skip
    """One page of rows; `columns`: what is selected, unless the shape is a `Row`, which says so itself."""
    selection, plan = await plan_counted(tx, selection, order, page)
    selected = columns or cast("type[Row]", shape).columns
    text = plan.text(tx.engine, f"SELECT {selected} {selection.text}")
    return await _paged(tx, selection, page, plan.sorted(await tx.rows(shape, text, **selection.bound, **plan.bound)))


async def load_joined(
    tx: Tx, row: type[AnyRow], source: LiteralString, id: LiteralString, selection: Selection, order: Order, page: Page
) -> Paged[AnyRow]:
    """One page of rows with what `source` joins to them: the ids come from an index, then only those rows are read."""
    selection, plan = await plan_counted(tx, selection, order, page)
    ids = plan.text(tx.engine, f"SELECT {id} {selection.text}")
    text: LiteralString = f"SELECT {row.columns} FROM {source} WHERE {id} IN ({ids}) ORDER BY {order.text}"
    return await _paged(tx, selection, page, await tx.rows(row, text, **selection.bound, **plan.bound))


async def load_by_ids(
    tx: Tx, id: LiteralString, selection: Selection, order: Order, page: Page,
    load: Callable[[list[Any]], Awaitable[Sequence[Shape]]],
) -> Paged[Shape]:  # fmt: skip
    """One page of what `load` makes of ids, which come from an index."""
    found = await load_rows(tx, tuple[Any], selection, order, page, columns=id)
    return found.with_items(await load([id_ for (id_,) in found.items]))
