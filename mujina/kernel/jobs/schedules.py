"""Periodic jobs: one row per schedule, so it survives restarts and fires once for all processes."""

import asyncio
from collections.abc import Collection, Iterable
from datetime import UTC, datetime, timedelta

import msgspec

from mujina.kernel import clock
from mujina.kernel.db.transaction import Database, Tx
from mujina.kernel.jobs.queue import enqueue
from mujina.kernel.jobs.tasks import Task
from mujina.kernel.monitoring.logs import log
from mujina.settings import Settings

BATCH = 100
POLL_SECONDS = 30.0
"""A schedule that another process added is noticed within this time."""
MIN_POLL_SECONDS = 0.05
"""The pause between two polls while another process has locked a schedule that is due."""


async def schedule(tx: Tx, task: str, key: str | int = "", *, every: timedelta) -> None:
    """Enqueue the task for this key in each interval, the first time after one interval."""
    await tx.run(
        """
        INSERT INTO schedules (task, key, seconds, next_at) VALUES (:task, :key, :seconds, :next_at)
        ON CONFLICT (task, key) DO UPDATE SET seconds = excluded.seconds, next_at = excluded.next_at
        WHERE schedules.seconds <> excluded.seconds
            OR schedules.next_at > excluded.next_at  -- further off than one interval: the clock was set back
        """,
        task=task, key=str(key), seconds=int(every.total_seconds()), next_at=clock.later(every),
    )  # fmt: skip


class _DueSchedule(msgspec.Struct, array_like=True, frozen=True):
    task: str
    key: str
    seconds: int
    next_at: str

    def following(self, now: datetime) -> str:
        """The next time that lies in the future: missed runs are made up for once, not each."""
        due = datetime.fromisoformat(self.next_at)
        missed = (now - due) // timedelta(seconds=self.seconds)
        return clock.iso(due + timedelta(seconds=self.seconds) * (missed + 1))


async def enqueue_due(tx: Tx, tasks: Collection[str]) -> None:
    """Enqueue every schedule that is due; of several processes, the first does it."""
    now = datetime.fromtimestamp(clock.timestamp(), UTC)
    due = await tx.rows(
        _DueSchedule,
        """
        SELECT task, key, seconds, next_at FROM schedules WHERE next_at <= :now AND task IN :tasks
        ORDER BY task, key LIMIT :limit FOR UPDATE SKIP LOCKED
        """,
        now=clock.iso(now),
        tasks=list(tasks),
        limit=BATCH,
    )
    for each in due:
        await enqueue(tx, each.task, each.key)
        await tx.run(
            "UPDATE schedules SET next_at = :next_at WHERE task = :task AND key = :key",
            next_at=each.following(now),
            task=each.task,
            key=each.key,
        )


async def store_schedules(tx: Tx, tasks: Iterable[Task], settings: Settings) -> None:
    """Store the schedule of every periodic task."""
    for task in sorted(tasks, key=lambda task: task.name):
        if every := task.period(settings):
            await schedule(tx, task.name, every=every)


async def run_schedules(database: Database, tasks: Collection[Task], settings: Settings) -> None:
    """Store every declared schedule, then enqueue what is due, until canceled."""
    names = [task.name for task in tasks]
    while True:
        try:
            async with database.transaction() as tx:
                await store_schedules(tx, tasks, settings)
            while True:
                await _tick(database, names)
        except Exception as error:  # noqa: BLE001 - schedules outlive any failure of the database
            log.warning("schedules wait for the database", error=repr(error))
        await asyncio.sleep(1)


async def _tick(database: Database, names: Collection[str]) -> None:
    async with database.reading() as tx:
        next_at = await tx.value("SELECT min(next_at) FROM schedules WHERE task IN :tasks", tasks=list(names))
    wait = POLL_SECONDS if next_at is None else clock.seconds_until(next_at)
    if wait <= 0:
        async with database.transaction() as tx:
            await enqueue_due(tx, names)
    await asyncio.sleep(min(max(wait, MIN_POLL_SECONDS), POLL_SECONDS))
