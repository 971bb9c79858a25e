"""Counters that all processes and machines of an instance share: failed sign-ins, sign-ups, and requests that are limited."""

from datetime import timedelta
from ipaddress import IPv6Address

from mujina.kernel import clock
from mujina.kernel.db.transaction import Tx

_KEPT = timedelta(days=1)
_HOST_BITS = 64
"""Bits of an IPv6 address that its owner chooses freely."""


def network_of(address: str) -> str:
    """The IP address, or the network under which it is counted: an owner of IPv6 addresses has many."""
    if ":" not in address:
        return address
    return f"{IPv6Address(int(IPv6Address(address)) >> _HOST_BITS << _HOST_BITS)}/{128 - _HOST_BITS}"


async def read_count(tx: Tx, key: str, *, within: timedelta) -> int:
    """What was counted so far, if the last of it is not longer ago."""
    number: int | None = await tx.value(
        "SELECT c.number FROM limit_counters c WHERE c.key = :key AND c.counted_at > :since",
        key=key,
        since=clock.later(-within),
    )
    return number or 0


async def count(tx: Tx, key: str, *, within: timedelta) -> None:
    """Count one more; it is the first if the last one is longer ago."""
    await tx.run(
        """
        INSERT INTO limit_counters (key, number, counted_at) VALUES (:key, 1, :now)
        ON CONFLICT (key) DO UPDATE SET
            number = CASE WHEN limit_counters.counted_at > :since THEN limit_counters.number + 1 ELSE 1 END,
            counted_at = excluded.counted_at
        """,
        key=key,
        now=clock.now(),
        since=clock.later(-within),
    )


async def count_in_window(tx: Tx, key: str) -> int:
    """The number with this one, under a key that names a span of time: its counter is never begun again."""
    return await tx.value(
        """
        INSERT INTO limit_counters (key, number, counted_at) VALUES (:key, 1, :now)
        ON CONFLICT (key) DO UPDATE SET number = limit_counters.number + 1
        RETURNING number
        """,
        key=key,
        now=clock.now(),
    )


async def clear_count(tx: Tx, key: str) -> None:
    await tx.run("DELETE FROM limit_counters WHERE key = :key", key=key)


async def delete_old_counters(tx: Tx) -> None:
    """Delete the counters to which nothing was added for a day: every limit forgets earlier."""
    await tx.run("DELETE FROM limit_counters WHERE counted_at <= :before", before=clock.later(-_KEPT))
