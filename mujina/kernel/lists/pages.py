"""From a selection to one page of a list: each statement that reads a page is written here.

The plan of a page says from which end of the list a statement reads. PostgreSQL plans a prepared statement once, before its
values are known, and for `LIMIT $1 OFFSET $2` it then expects a tenth of all rows. So it collects, hashes and sorts a whole
table for a page that twenty steps along an index would give. A number in the text is known to the planner: it says how far
the page reaches, rounded up, so that each statement has a few texts; the exact limit and offset stay bound, around it.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, LiteralString, NamedTuple, TypeVar, cast

import msgspec

from mujina.kernel.db.documents import DocumentRow, Documents
from mujina.kernel.db.rows import Row, read_rows
from mujina.kernel.db.sql.selection import Order, Selection
from mujina.kernel.db.transaction import Engine, Tx
from mujina.kernel.http.paging import Page, Paged

REACHES: dict[int, LiteralString] = {
    20: "20", 100: "100", 1_000: "1000", 10_000: "10000", 100_000: "100000", 1_000_000: "1000000", 10_000_000: "10000000",
}  # fmt: skip
"""How many rows a statement reads, rounded up, and the number as text."""
_LARGEST_PAGE = 100

Shape = TypeVar("Shape")


class PagePlan(msgspec.Struct, frozen=True):
    """The rows that a statement reads: `limit` rows in this order, after it has skipped some."""

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
        reach = next((reach for reach in REACHES if end <= reach), None)
        reached: LiteralString = ordered if reach is None else f"{ordered} LIMIT {REACHES[reach]}"
        page: LiteralString = f"SELECT * FROM ({reached}) reached LIMIT :limit OFFSET :offset"
        if reach is None or reach > _LARGEST_PAGE:  # what joins the page expects a page, and the row that follows it
            return f"SELECT * FROM ({page}) page LIMIT 101"
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
    tx: Tx, shape: type[Shape], selection: Selection, order: Order, page: Page, *, columns: LiteralString | None = None
) -> Paged[Shape]:
    """One page of rows; `columns`: what is selected, unless the shape is a `Row`, which says so itself."""
    selection, plan = await plan_counted(tx, selection, order, page)
    selected = columns or cast("type[Row]", shape).columns
    text = plan.text(tx.engine, f"SELECT {selected} {selection.text}")
    return await _paged(tx, selection, page, plan.sorted(await tx.rows(shape, text, **selection.bound, **plan.bound)))


async def load_joined(
    tx: Tx, shape: type[Shape], source: LiteralString, id: LiteralString, selection: Selection, order: Order, page: Page,
    *, columns: LiteralString | None = None,
) -> Paged[Shape]:  # fmt: skip
    """One page of rows with what `source` joins to them: the ids come from an index, then only those rows are read.

    `columns`: those of the row, with what is known folded out of them, or those of a tuple. PostgreSQL reads a total that is
    kept in the same statement: waiting for a second one would take longer.
    """
    selection, plan = await plan_counted(tx, selection, order, page)
    ids = plan.text(tx.engine, f"SELECT {id} {selection.text}")
    joined: LiteralString = f"FROM {source} WHERE {id} IN ({ids}) ORDER BY {order.text}"
    columns = columns or cast("type[Row]", shape).columns
    if tx.engine == "sqlite" or not selection.is_kept:
        text: LiteralString = f"SELECT {columns} {joined}"
        return await _paged(tx, selection, page, await tx.rows(shape, text, **selection.bound, **plan.bound))
    count = selection.count
    text = f"SELECT {columns}, ({count.text}) {joined}"
    found = await tx.rows(tuple[Any, ...], text, **count.bound, **plan.bound)
    return page.of(read_rows(shape, [row[:-1] for row in found]), await _total(tx, selection, found, page))


async def load_by_ids(
    tx: Tx, id: LiteralString, selection: Selection, order: Order, page: Page,
    load: Callable[[list[Any]], Awaitable[Sequence[Shape]]],
) -> Paged[Shape]:  # fmt: skip
    """One page of what `load` makes of ids, which come from an index."""
    selection, plan = await plan_counted(tx, selection, order, page)
    found = await _paged(tx, selection, page, await read_ids(tx, id, selection, plan))
    return found.with_items(await load(list(found.items)) if found.items else [])


async def read_ids(tx: Tx, id: LiteralString, selection: Selection, plan: PagePlan) -> list[Any]:
    """The ids of the rows of a plan, in the order of the list."""
    text = plan.text(tx.engine, f"SELECT {id} {selection.text}")
    return plan.sorted(await tx.values(text, **selection.bound, **plan.bound))


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
        **count.bound,
        **plan.bound,
        **documents.bound(tx),
    )
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
        **count.bound,
        **plan.bound,
        **documents.bound(tx),
    )
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
