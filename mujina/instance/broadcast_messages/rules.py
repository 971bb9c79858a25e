"""A broadcast message, and the only way to look one up."""

import msgspec

from mujina.kernel import errors
from mujina.kernel.db.entities import Computed
from mujina.kernel.db.rows import Row
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
    broadcast = await tx.row(
        BroadcastRow, f"SELECT {BroadcastRow.columns} FROM broadcast_messages b WHERE b.id = :id", id=broadcast_id
    )
    return errors.or_not_found(broadcast, "Broadcast Message")
