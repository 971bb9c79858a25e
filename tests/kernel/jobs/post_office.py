"""A small product of its own for the queue: parcels wait in an outbox, and a task delivers them key by key.

Run as a program it is another process: one that sends a parcel, or one to be killed, that sends and delivers for ever.
"""

import asyncio
import os
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from random import choice

from mujina.app import build_services
from mujina.kernel.db.connect import connect
from mujina.kernel.db.transaction import Tx
from mujina.kernel.jobs.queue import enqueue
from mujina.kernel.jobs.runner import Runner
from mujina.kernel.jobs.tasks import Backoff, Run, task
from mujina.kernel.services import Services
from mujina.migrations.upgrade import migrate
from mujina.settings import Settings

PARCELS = """
    CREATE TABLE parcels (
        key text NOT NULL, n integer NOT NULL, delivered integer NOT NULL DEFAULT 0, PRIMARY KEY (key, n)
    )
"""
KEYS = ("ada", "ben", "cleo")
LEASE = timedelta(minutes=10)
"""No runner that lives loses a job, however slow the machine."""


@asynccontextmanager
async def opened(url: str, data: Path) -> AsyncGenerator[Services]:
    """A house of the given database; its data folder is the world outside."""
    database = connect(url)
    await database.open()
    try:
        yield build_services(Settings(data=data, database_url=url), database)
    finally:
        await database.close()


async def build(url: str) -> None:
    """Every table of ours, and the outbox."""
    await migrate(url)
    database = connect(url)
    await database.open()
    async with database.transaction() as tx:
        await tx.run(PARCELS)
    await database.close()


async def send(tx: Tx, key: str) -> int:
    """One more parcel for this key, numbered without a gap."""
    await enqueue(tx, "parcels.deliver", key)
    return await tx.value(
        "INSERT INTO parcels (key, n) SELECT :key, count(*) + 1 FROM parcels WHERE key = :key RETURNING n", key=key
    )


@task("parcels.deliver", backoff=Backoff(attempts=1000, first=timedelta(milliseconds=10)))
async def deliver(run: Run, key: str) -> None:
    """Hand over what waits for this key, in order, and mark each as done."""
    while (n := await _next(run, key)) is not None:
        write(run.services.settings.data / "delivered", f"{key} {n}")
        async with run.database.transaction() as tx:
            await tx.run("UPDATE parcels SET delivered = 1 WHERE key = :key AND n = :n", key=key, n=n)


async def _next(run: Run, key: str) -> int | None:
    async with run.database.reading() as tx:
        return await tx.value("SELECT min(n) FROM parcels WHERE key = :key AND delivered = 0", key=key)


def write(path: Path, line: str) -> None:
    """One line, whole or not at all."""
    with path.open("a") as file:
        file.write(f"{line}\n")


def runner_file(data: Path, pid: int) -> Path:
    """Has the name by which the runner of this process leases jobs."""
    return data / f"runner-{pid}"


def read(path: Path) -> list[tuple[str, int]]:
    """The lines written, as (key, number)."""
    lines = path.read_text().splitlines() if path.exists() else []
    return [(key, int(n)) for key, n in (line.split() for line in lines)]


async def send_one(services: Services) -> None:
    """One parcel for the first key."""
    async with services.database.transaction() as tx:
        await send(tx, KEYS[0])


async def work(services: Services) -> None:
    """Send and deliver until killed; what was committed is written down."""
    runner = Runner(services, [deliver], lease=LEASE)
    runner_file(services.settings.data, os.getpid()).write_text(runner._name)
    running = asyncio.create_task(runner.run())
    while not running.done():
        key = choice(KEYS)
        async with services.database.transaction() as tx:
            n = await send(tx, key)
        write(services.settings.data / "committed", f"{key} {n}")
        await asyncio.sleep(0.005)
    await running


async def main(verb: str, url: str, data: str) -> None:
    async with opened(url, Path(data)) as services:
        await {"send": send_one, "work": work}[verb](services)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
