"""Sessions as their person sees them."""

import msgspec

from mujina.kernel import clock
from mujina.kernel.db.transaction import Tx


class SessionLine(msgspec.Struct, array_like=True, frozen=True):
    id: int
    created_at: str
    last_used_on: str


async def sessions_of(tx: Tx, user_id: int) -> list[SessionLine]:
    """Where a person is signed in, the newest first."""
    return await tx.rows(
        SessionLine,
        """
        SELECT s.id, s.created_at, s.last_used_on FROM sessions s
        WHERE s.user_id = :user_id AND s.expires_at > :now ORDER BY s.id DESC
        """,
        user_id=user_id,
        now=clock.now(),
    )
