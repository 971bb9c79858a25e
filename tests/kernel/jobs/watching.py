"""Words for what tests do with the queue and see in it."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import timedelta

import msgspec

from mujina.kernel.jobs.queue import enqueue
from mujina.kernel.jobs.runner import Runner
from mujina.kernel.services import Services

SOON = 0.01


class Row(msgspec.Struct, array_like=True, frozen=True):
    """One job as it stands in the database."""

    task: str
    key: str
    enqueued: int
    ready_at: str
    again_at: str | None
    leased_by: str | None
    attempts: int
    last_error: str | None
    parked_at: str | None


async def jobs(services: Services) -> dict[str, Row]:
    """Every job by its key."""
    async with services.database.reading() as tx:
        found = await tx.rows(
            Row,
            """
            SELECT task, key, enqueued, ready_at, again_at, leased_by, attempts, last_error, parked_at FROM jobs
            ORDER BY key
            """,
        )
    return {row.key: row for row in found}


async def want(services: Services, task: str, *keys: str, after: timedelta = timedelta(0)) -> None:
    """Each key in a transaction of its own."""
    for key in keys:
        async with services.database.transaction() as tx:
            await enqueue(tx, task, key, after=after)


async def make_ready(services: Services) -> None:
    """As if every wait had passed: back-offs, delays, and the leases of whoever holds one."""
    async with services.database.transaction() as tx:
        await tx.run("UPDATE jobs SET ready_at = '2018-01-22T14:22:21.000Z'")


async def until(condition: Callable[[], Awaitable[bool]]) -> None:
    """Wait for it, as long as the story may take."""
    while not await condition():  # noqa: ASYNC110 - another process may bring it about
        await asyncio.sleep(SOON)


async def until_empty(services: Services) -> None:
    """Wait for the last job to be done."""

    async def empty() -> bool:
        return await jobs(services) == {}

    await until(empty)


@asynccontextmanager
async def at_work(*runners: Runner) -> AsyncGenerator[None]:
    """Inside, these runners work; afterward they have stopped as they should."""
    running = [asyncio.create_task(runner.run()) for runner in runners]
    try:
        yield
    finally:
        for runner in runners:
            runner.stop()
        await asyncio.gather(*running)
