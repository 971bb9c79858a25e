"""Pages that follow each other by their last row instead of by a number (`pagination=keyset`).

Rows that are added or deleted between two requests move no other row to another page, and nothing is counted.
"""

import binascii
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Awaitable, Callable
from typing import Annotated, Any, LiteralString, TypeVar

import msgspec

from mujina.kernel import errors
from mujina.kernel.db.sql.selection import Order, Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import KeysetPaged, Page, Paged
from mujina.kernel.http.params import BadValue, Form, read_integer, read_text
from mujina.kernel.lists.pages import PagePlan

Item = TypeVar("Item")


def _read_cursor(value: Any) -> list[str | int]:
    """What the last row of a page was sorted by: texts, and its id."""
    try:
        decoded = msgspec.json.decode(urlsafe_b64decode(read_text(value)), type=list[str | int])
    except (binascii.Error, ValueError, msgspec.DecodeError):
        raise BadValue from None
    if not decoded:
        raise BadValue
    return [*map(_read_sorted, decoded[:-1]), read_integer(decoded[-1])]


def _read_sorted(value: str | int) -> str:
    if not isinstance(value, str):
        raise BadValue
    return read_text(value)


Cursor = Annotated[list[str | int], Form(_read_cursor, {"type": "string"})]


async def load_following(
    tx: Tx, selection: Selection, order: Order, page: Page, cursor: list[str | int] | msgspec.UnsetType,
    load: Callable[[Selection, Page], Awaitable[Paged[Item]]],
) -> Paged[Item]:  # fmt: skip
    """The page of rows after the cursor, or the first page, without a total; it has a link if further rows follow.

    `order`: in one direction, by expressions of text without nulls, and by the id at last.
    """
    selection = selection.uncounted
    if cursor is not msgspec.UNSET:
        if len(cursor) != len(order.keys):
            raise errors.unacceptable("cursor is invalid")
        selection = selection.where(order.after(cursor))
    # Rows and cursor come from one statement: a row that changes its place meanwhile hides no other.
    plan = PagePlan(order, page.size + 1)
    text = plan.text(tx.engine, f"SELECT {order.columns} {selection.text}")
    rows = await tx.rows(tuple[Any, ...], text, **selection.bound, **plan.bound)
    shown = rows[: page.size]
    id: LiteralString = order.keys[-1][0]
    found = selection.where(f"{id} IN :shown_ids", shown_ids=[row[-1] for row in shown]).uncounted
    loaded = await load(found, Page(1, page.size, page.tree))
    return KeysetPaged(loaded.items, 0, page, {"cursor": _spell(shown[-1])} if len(rows) > page.size else None)


def _spell(row: tuple[Any, ...]) -> str:
    return urlsafe_b64encode(msgspec.json.encode(row)).decode()
