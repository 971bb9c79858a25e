"""Callers whose writes the replica may not have yet."""

from mujina.kernel import clock
from mujina.kernel.db.transaction import Tx


async def find_position(tx: Tx, callers: list[str]) -> str | None:
    """The position of the primary's log after the last write of these callers; None if they wrote nothing lately."""
    return await tx.value(
        """SELECT w.position FROM forwarded_writes w WHERE w.caller IN :callers AND w.expires_at > :now
           ORDER BY w.expires_at DESC LIMIT 1""",
        callers=callers,
        now=clock.now(),
    )
