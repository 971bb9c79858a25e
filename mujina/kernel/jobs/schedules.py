"""What is wanted by the clock: one row per schedule, so it survives restarts and fires once for all processes."""

import asyncio
from collections.abc import Collection
from datetime import UTC, datetime, timedelta

import msgspec

from mujina.kernel import clock
from mujina.kernel.db.transaction import Database, Tx
from mujina.kernel.jobs.queue import enqueue
from mujina.kernel.jobs.tasks import Task
from mujina.kernel.logs import log

BATCH = 100
LOOK_SECONDS = 30.0
"""How late a schedule may be noticed that another process added."""
BREATH_SECONDS = 0.05
"""Between two looks when another process has a due schedule in its hands."""


async def schedule(tx: Tx, task: str, key: str | int = "", *, every: timedelta) -> None:
    """The task is wanted for this key in each interval, the first time when one has passed."""
    await tx.run(
        """
        INSERT INTO schedules (task, key, seconds, next_at) VALUES (:task, :key, :seconds, :next_at)
        ON CONFLICT (task, key) DO UPDATE SET seconds = excluded.seconds, next_at = excluded.next_at
        WHERE schedules.seconds <> excluded.seconds
        """,
        task=task, key=str(key), seconds=int(every.total_seconds()), next_at=clock.later(every),
    )  # fmt: skip


class Due(msgspec.Struct, array_like=True, frozen=True):
    task: str
    key: str
    seconds: int
    next_at: str

    def following(self, now: datetime) -> str:
        """The next time of its rhythm that is still to come: what was missed is made up for once, not once for each."""
        due = datetime.fromisoformat(self.next_at)
        missed = (now - due) // timedelta(seconds=self.seconds)
        return clock.iso(due + timedelta(seconds=self.seconds) * (missed + 1))


async def want_due(tx: Tx, tasks: Collection[str]) -> None:
    """Every schedule whose time has come is wanted, by whichever process comes first."""
    now = datetime.now(UTC)
    due = await tx.rows(
        Due,
        """
        SELECT task, key, seconds, next_at FROM schedules WHERE next_at <= :now AND task IN :tasks
        ORDER BY task, key LIMIT :limit FOR UPDATE SKIP LOCKED
        """,
        now=clock.iso(now), tasks=list(tasks), limit=BATCH,
    )  # fmt: skip
    for each in due:
        await enqueue(tx, each.task, each.key)
        await tx.run(
            "UPDATE schedules SET next_at = :next_at WHERE task = :task AND key = :key",
            next_at=each.following(now), task=each.task, key=each.key,
        )  # fmt: skip


async def keep_time(database: Database, tasks: Collection[Task]) -> None:
    """Every declared schedule stands in the database, and whatever is due is wanted, until cancelled."""
    names = [task.name for task in tasks]
    while True:
        try:
            await _declare(database, tasks)
            while True:
                await _tick(database, names)
        except Exception as error:  # noqa: BLE001 - the clock outlives whatever the database suffers
            log.warning("schedules wait for the database", error=repr(error))
        await asyncio.sleep(1)


async def _declare(database: Database, tasks: Collection[Task]) -> None:
    async with database.transaction() as tx:
        for task in sorted(tasks, key=lambda task: task.name):
            if task.every is not None:
                await schedule(tx, task.name, every=task.every)


async def _tick(database: Database, names: Collection[str]) -> None:
    async with database.reading() as tx:
        next_at = await tx.value("SELECT min(next_at) FROM schedules WHERE task IN :tasks", tasks=list(names))
    wait = LOOK_SECONDS if next_at is None else clock.seconds_until(next_at)
    if wait <= 0:
        async with database.transaction() as tx:
            await want_due(tx, names)
    await asyncio.sleep(min(max(wait, BREATH_SECONDS), LOOK_SECONDS))
