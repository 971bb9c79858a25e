"""What a start does about times that a process stored before the clock was set back."""

from collections.abc import Collection
from typing import LiteralString

from mujina.kernel import clock
from mujina.kernel.db.transaction import Database
from mujina.kernel.logs import log

MAX_CLOCK_LAG = 86_400
"""Seconds: a time further ahead than this was stored with a wrong clock."""

StoredTime = tuple[LiteralString, LiteralString]
"""A table and its column."""


async def recover_clock(database: Database, latest: LiteralString, waited_for: Collection[StoredTime]) -> None:
    """Let no event be recorded before the `latest` one, though the clock was set back while no process ran.

    If it was set back by more than `MAX_CLOCK_LAG`, the earlier times are wrong: then nothing waits for them.
    """
    async with database.reading() as tx:
        stored: str | None = await tx.value(latest)
    if stored is None or (ahead := clock.seconds_until(stored)) <= 0:
        return
    if ahead <= MAX_CLOCK_LAG:
        clock.catch_up(stored)
        return
    log.warning("the newest stored time is in the future: is the clock right?", stored_at=stored)
    if waited_for:
        await end_waits(database, waited_for)


async def end_waits(database: Database, waited_for: Collection[StoredTime]) -> None:
    """Set these times to the present where they are later; the day that never comes stays."""
    async with database.transaction() as tx:
        for table, column in waited_for:
            await tx.run(
                f"UPDATE {table} SET {column} = :now WHERE {column} > :now AND {column} < :never",
                now=clock.now(), never=clock.NEVER,
            )  # fmt: skip
