"""What is shown of a project shared with a group."""

import msgspec

from mujina.kernel.clock import NEVER
from mujina.kernel.db.transaction import Tx


class Share(msgspec.Struct):
    id: int
    project_id: int
    group_id: int
    group_access: int
    expires_at: str | None


async def single(tx: Tx, share_id: int) -> Share:
    """The share as it was just made."""
    row = await tx.row(
        tuple[int, int, int, int, str | None],
        """SELECT s.id, s.project_id, s.group_id, s.cap, CASE WHEN s.expires_on <> :never THEN s.expires_on END
           FROM project_shares s WHERE s.id = :id""",
        id=share_id, never=NEVER,
    )  # fmt: skip
    assert row is not None
    return Share(*row)
