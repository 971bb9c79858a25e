"""Broadcast messages as they are shown."""

from typing import Final, LiteralString

from mujina.instance.broadcast_messages.rules import Broadcast, BroadcastRow
from mujina.kernel import clock
from mujina.kernel.db.entities import to_entity
from mujina.kernel.db.sql.selection import Selection, ascending
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.lists.pages import load_rows
from mujina.kernel.product import ExtensionPoint

NOTICES: Final = ExtensionPoint[Broadcast]("messages on every page that no user wrote")


def to_broadcast(row: BroadcastRow) -> Broadcast:
    return to_entity(Broadcast, row, active=row.starts_at <= clock.now() < row.ends_at)


async def load_page(tx: Tx, page: Page) -> Paged[Broadcast]:
    """One page of all messages, oldest first."""
    found = await load_rows(tx, BroadcastRow, Selection("broadcast_messages b"), ascending("b.id"), page)
    return found.map(to_broadcast)


_CURRENT: LiteralString = "FROM broadcast_messages b WHERE b.starts_at <= :now AND b.ends_at > :now"
HAS_CURRENT: LiteralString = f"EXISTS (SELECT 1 {_CURRENT})"


async def current(tx: Tx, *, written: bool) -> list[Broadcast]:
    """The messages that pages show now, oldest first; `written`: False if `HAS_CURRENT` is known to be false."""
    rows: list[BroadcastRow] = []
    if written:
        rows = await tx.rows(BroadcastRow, f"SELECT {BroadcastRow.columns} {_CURRENT} ORDER BY b.id", now=clock.now())
    return [*tx.product.all(NOTICES), *map(to_broadcast, rows)]
