"""The only way to get a broadcast message."""

from typing import LiteralString

import msgspec

from mujina.kernel import errors
from mujina.kernel.db.transaction import Tx


class BroadcastRow(msgspec.Struct, array_like=True, frozen=True):
    """A message as it is stored."""

    id: int
    message: str
    starts_at: str
    ends_at: str
    color: str
    font: str
    updated_at: str


BROADCAST: LiteralString = """
    SELECT b.id, b.message, b.starts_at, b.ends_at, b.color, b.font, b.updated_at FROM broadcast_messages b
"""


async def find_broadcast(tx: Tx, broadcast_id: int) -> BroadcastRow:
    found = await tx.row(BroadcastRow, f"{BROADCAST} WHERE b.id = :id", id=broadcast_id)
    if found is None:
        raise errors.not_found("Broadcast Message")
    return found
