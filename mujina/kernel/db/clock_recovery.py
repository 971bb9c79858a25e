"""Start-up repairs of times that a process stored before the clock was set back."""

from typing import Final, LiteralString

from mujina.kernel import clock
from mujina.kernel.db.transaction import Database
from mujina.kernel.monitoring.logs import log
from mujina.kernel.product import ExtensionPoint, Product

MAX_CLOCK_LAG = 86_400
"""Seconds: a time further ahead than this was stored with a wrong clock."""

StoredTime = tuple[LiteralString, LiteralString]
"""A table and its column."""

WAITED_FOR: Final = ExtensionPoint[StoredTime]("stored times that something waits for")
"""A time that was stored while the clock was far ahead would hold this back until the clock gets there.

Times that are only shown stay as they are. `schedules` are not among them: each start bounds them by their intervals.
"""

LAST_SIGNS: Final = ExtensionPoint[LiteralString](
    "when a process last recorded something, each a statement for one time"
)

_OF_KERNEL: Final[tuple[StoredTime, ...]] = (
    ("jobs", "ready_at"),
    ("jobs", "again_at"),
    ("background_processes", "seen_at"),
    ("limit_counters", "counted_at"),
)
_LAST_SIGNS: Final[tuple[LiteralString, ...]] = (
    "SELECT (SELECT e.created_at FROM events e ORDER BY e.id DESC LIMIT 1) AS at",
    "SELECT max(b.seen_at) FROM background_processes b",
)


def waited_for(product: Product) -> tuple[StoredTime, ...]:
    """Every stored time that something waits for."""
    return (*_OF_KERNEL, *product.all(WAITED_FOR))


async def recover_clock(database: Database, product: Product, *, ends_waits: bool = True) -> None:
    """Let no event be recorded before the latest one, though the clock was set back while no process ran.

    If it was set back by more than `MAX_CLOCK_LAG`, the earlier times are wrong: then nothing waits for them.
    """
    signs = " UNION ALL ".join([*_LAST_SIGNS, *product.all(LAST_SIGNS)])
    async with database.reading() as tx:
        stored: str | None = await tx.value(f"SELECT max(t.at) FROM ({signs}) t")
    if stored is None or (ahead := clock.seconds_until(stored)) <= 0:
        return
    if ahead <= MAX_CLOCK_LAG:
        clock.catch_up(stored)
        return
    log.warning("the newest stored time is in the future: is the clock right?", stored_at=stored)
    if ends_waits:
        await end_waits(database, product)


async def end_waits(database: Database, product: Product) -> None:
    """Set the times that something waits for to the present where they are later; the day that never comes stays."""
    async with database.transaction() as tx:
        for table, column in waited_for(product):
            await tx.run(
                f"UPDATE {table} SET {column} = :now WHERE {column} > :now AND {column} < :never",
                now=clock.now(),
                never=clock.NEVER,
            )
