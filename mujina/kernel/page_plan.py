"""How a statement reaches a page of a long list: by skipping rows from the nearer end."""

from typing import LiteralString

import msgspec

from mujina.kernel.db.selection import Selection
from mujina.kernel.db.transaction import Tx, Value
from mujina.kernel.paging import Page

KNOWN_TOTAL: LiteralString = "SELECT CAST(:total AS bigint)"
"""For a total that is bound as `:total`."""


class PagePlan(msgspec.Struct, frozen=True):
    """The order in which a statement reads a page, and what it binds."""

    order: LiteralString
    count: LiteralString
    """A statement for the total."""
    bound: dict[str, Value]


async def plan_page(
    tx: Tx, selection: Selection, order: LiteralString, page: Page, count: LiteralString, within: LiteralString = ""
) -> PagePlan:
    """A near page is read from the start. For a far one the total is counted first, which tells the nearer end.

    `within`: what the count refers to (`WITH …`).
    """
    if not page.far:
        return PagePlan(order, count, {**selection.bound, **page.bound})
    total: int = await tx.value(f"{within} SELECT ({count})", **selection.bound)
    return plan_counted_page(selection, order, page, total)


def plan_counted_page(selection: Selection, order: LiteralString, page: Page, total: int) -> PagePlan:
    """The plan for a list whose total was counted."""
    nearest, bound = page.nearest(order, total)
    return PagePlan(nearest, KNOWN_TOTAL, {**selection.bound, **bound, "total": total})
