"""The JSON representation of a project shared with a group."""

from typing import Annotated

import msgspec

from mujina.kernel.clock import NEVER
from mujina.kernel.db.entities import to_entity
from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Tx


class Share(msgspec.Struct):
    id: int
    project_id: int
    group_id: int
    group_access: int
    expires_at: str | None


class ShareView(Row, alias="s"):
    id: int
    project_id: int
    group_id: int
    group_access: Annotated[int, "s.cap"]
    expires_at: Annotated[str | None, "CASE WHEN s.expires_on <> :never THEN s.expires_on END"]


async def load_one(tx: Tx, share_id: int) -> Share:
    """A share that this transaction created."""
    [row] = await tx.rows(
        ShareView, f"SELECT {ShareView.columns} FROM project_shares s WHERE s.id = :id", id=share_id, never=NEVER
    )
    return to_entity(Share, row)
