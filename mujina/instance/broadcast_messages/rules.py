"""A broadcast message, and the only way to look one up."""

import msgspec

from mujina.kernel.db.entities import Computed
from mujina.kernel.db.rows import Row, find_row
from mujina.kernel.db.sql.selection import Selection
from mujina.kernel.db.transaction import Tx


class Broadcast(msgspec.Struct):
    id: int
    message: str
    starts_at: str
    ends_at: str
    color: str
    font: str
    active: Computed[bool]


class BroadcastRow(Row, alias="b", of=Broadcast):
    id: int
    message: str
    starts_at: str
    ends_at: str
    updated_at: str


async def find_broadcast(tx: Tx, broadcast_id: int) -> BroadcastRow:
    selection = Selection("broadcast_messages b", "b.id = :id", id=broadcast_id)
    return await find_row(tx, BroadcastRow, selection, "Broadcast Message")
