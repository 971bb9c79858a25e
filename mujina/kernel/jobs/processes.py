"""The processes that work in the background: each keeps a row with what it does and has done, so that operators see it.

A process that dies leaves its row: it is no longer shown, and its counts become part of the totals.
"""

import asyncio
import os
import socket
from collections.abc import Callable, Collection
from contextlib import suppress
from datetime import timedelta
from functools import cached_property
from secrets import token_hex
from typing import Final, Protocol

from mujina.kernel import clock
from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Database, Tx
from mujina.kernel.jobs.runner import Load, run_alongside
from mujina.kernel.monitoring.logs import log
from mujina.kernel.product import ExtensionPoint
from mujina.kernel.services import Service, Services

BEAT_SECONDS: Final = 10.0
REQUESTS_FIRST_SECONDS: Final = 0.1
"""Seconds after a start before all task modules are imported, so that early requests are answered first."""
PROCESS_TIMEOUT: Final = timedelta(seconds=35)
"""A process that has written nothing for this time is gone."""
TOTALS: Final = ""
"""The name of the row with the counts of the processes that are gone."""


class BackgroundService(Service, Protocol):
    """A service whose work is counted."""

    name: str
    """What it does, as operators call it."""
    at_once: int
    """How much it does at a time."""

    @property
    def queues(self) -> list[str]:
        """The names of what it works on."""
        ...

    def load(self) -> Load: ...

    async def drain(self) -> None:
        """Do what is due now, without `run`."""
        ...


class MakeService(Protocol):
    """Makes a service, which has `grace` to finish."""

    def __call__(self, services: Services, *, grace: timedelta) -> BackgroundService: ...


BACKGROUND_SERVICES: Final = ExtensionPoint[MakeService]("services of a background process beside the jobs")


class BackgroundProcess:
    """Runs the services of a process that works in the background, and tells the database about it."""

    def __init__(self, database: Database, make: Callable[[], Collection[BackgroundService]]) -> None:
        """The services are made, and what they need is imported, when the process is ready."""
        self._database = database
        self._make = make
        self._name = token_hex(8)
        self._started_at = clock.now()
        self._counts = self._folded = (0, 0)
        """Processed and failed: as last written, and how much of that the totals contain already."""

    @cached_property
    def _services(self) -> Collection[BackgroundService]:
        return self._make()

    async def run(self) -> None:
        """Work until `stop`; afterward only the counts of the process are left."""
        await asyncio.sleep(REQUESTS_FIRST_SECONDS)  # the process says that it is ready, and answers who waits
        try:
            async with run_alongside(self._beat()), asyncio.TaskGroup() as running:
                for service in self._services:
                    running.create_task(service.run())
        finally:
            with suppress(Exception):  # the row expires when it is not written
                async with asyncio.timeout(2), self._database.transaction() as tx:
                    await self._write(tx)
                    await _fold(tx, [self._name])

    def stop(self) -> None:
        """Ask every service to end."""
        for service in self._services:
            service.stop()

    async def _beat(self) -> None:
        """Write what this process does, until canceled."""
        while True:
            try:
                async with asyncio.timeout(BEAT_SECONDS), self._database.transaction() as tx:
                    await self._write(tx)
                    await _fold(tx, await _silent(tx))
            except Exception as error:  # noqa: BLE001 - work does not depend on what is known about it
                log.warning("the process cannot tell that it works", error=repr(error))
            await asyncio.sleep(BEAT_SECONDS)

    async def _write(self, tx: Tx) -> None:
        busy, processed, failed = (
            sum(column) for column in zip(*(each.load() for each in self._services), strict=True)
        )
        known = await tx.value("SELECT 1 FROM background_processes b WHERE b.name = :name FOR UPDATE", name=self._name)
        # Without its row, another process took this one for dead, as after an outage, and added its counts to the totals.
        folded = self._folded if known else self._counts
        await tx.run(
            """
            INSERT INTO background_processes
                (name, hostname, pid, queues, concurrency, busy, processed, failed, started_at, seen_at)
            VALUES (:name, :hostname, :pid, :queues, :concurrency, :busy, :processed, :failed, :started_at, :now)
            ON CONFLICT (name) DO UPDATE SET busy = excluded.busy, processed = excluded.processed,
                failed = excluded.failed, seen_at = excluded.seen_at
            """,
            name=self._name, hostname=socket.gethostname(), pid=os.getpid(), busy=busy,
            processed=processed - folded[0], failed=failed - folded[1],
            queues=" ".join(queue for each in self._services for queue in each.queues),
            concurrency=sum(each.at_once for each in self._services), started_at=self._started_at, now=clock.now(),
        )  # fmt: skip

        def written() -> None:
            self._counts, self._folded = (processed, failed), folded

        tx.after_commit(written)


async def _silent(tx: Tx) -> list[str]:
    return await tx.values(
        "SELECT b.name FROM background_processes b WHERE b.seen_at < :before AND b.name <> :totals ORDER BY b.name",
        before=clock.later(-PROCESS_TIMEOUT),
        totals=TOTALS,
    )


async def _fold(tx: Tx, names: list[str]) -> None:
    """The processes are gone: only their counts are kept."""
    if not names:
        return
    await tx.run(
        """
        INSERT INTO background_processes
            (name, hostname, pid, queues, concurrency, busy, processed, failed, started_at, seen_at)
        VALUES (:totals, '', 0, '', 0, 0, 0, 0, :now, :now) ON CONFLICT (name) DO UPDATE SET seen_at = excluded.seen_at
        """,
        totals=TOTALS,
        now=clock.now(),
    )
    gone = await tx.rows(
        tuple[int, int],
        "DELETE FROM background_processes WHERE name IN :names AND name <> :totals RETURNING processed, failed",
        names=names,
        totals=TOTALS,
    )
    await tx.run(
        "UPDATE background_processes SET processed = processed + :processed, failed = failed + :failed WHERE name = :totals",
        processed=sum(processed for processed, _ in gone),
        failed=sum(failed for _, failed in gone),
        totals=TOTALS,
    )


class BackgroundProcessRow(Row, alias="b"):
    """A process that works now."""

    hostname: str
    pid: int
    queues: str
    concurrency: int
    busy: int
    started_at: str


async def running_processes(tx: Tx) -> list[BackgroundProcessRow]:
    """The processes that have been seen lately, oldest first."""
    return await tx.rows(
        BackgroundProcessRow,
        f"""SELECT {BackgroundProcessRow.columns} FROM background_processes b
            WHERE b.seen_at >= :since AND b.name <> :totals ORDER BY b.started_at, b.name""",
        since=clock.later(-PROCESS_TIMEOUT),
        totals=TOTALS,
    )


async def totals(tx: Tx) -> tuple[int, int]:
    """How many jobs and deliveries were processed since the first start, and how many of them failed."""
    found = await tx.row(
        tuple[int, int],
        """SELECT CAST(coalesce(sum(b.processed), 0) AS bigint), CAST(coalesce(sum(b.failed), 0) AS bigint)
           FROM background_processes b""",
    )
    return found or (0, 0)


class QueueFigures(Row, alias="j"):
    """The waiting jobs of one task."""

    task: str
    backlog: int
    oldest: str | None
    """The time since which the longest waiting one could have run."""
    parked: int
    """Jobs that failed for good: an operator may retry them."""
    running: int
    failed: int
    """Jobs whose last run failed, those that failed for good among them."""


async def queue_figures(tx: Tx) -> list[QueueFigures]:
    """The jobs that wait or failed for good, by task."""
    return await tx.rows(
        QueueFigures,
        """
        SELECT j.task, CAST(sum(CASE WHEN j.parked_at IS NULL AND j.ready_at <= :now THEN 1 ELSE 0 END) AS bigint),
            min(CASE WHEN j.parked_at IS NULL AND j.ready_at <= :now THEN j.ready_at END),
            CAST(sum(CASE WHEN j.parked_at IS NULL THEN 0 ELSE 1 END) AS bigint),
            CAST(sum(CASE WHEN j.leased_by IS NULL THEN 0 ELSE 1 END) AS bigint),
            CAST(sum(CASE WHEN j.last_error IS NULL THEN 0 ELSE 1 END) AS bigint)
        FROM jobs j GROUP BY j.task ORDER BY j.task
        """,
        now=clock.now(),
    )
