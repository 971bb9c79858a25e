"""`mujina worker`: jobs are run wherever the database is reached."""

import asyncio
from pathlib import Path

from mujina.kernel.db.connect import connect
from mujina.kernel.jobs.queue import enqueue
from tests.harness import fork_server
from tests.serve.wire import eventually


def test_a_worker_runs_enqueued_jobs_until_it_is_stopped(tmp_path: Path, migrated_url: str):
    asyncio.run(want_a_job(migrated_url))
    flags = ("--data", str(tmp_path / "data"), "--database-url", migrated_url)
    worker = fork_server.start("mujina", "worker", *flags)
    try:
        eventually(lambda: asyncio.run(is_done(migrated_url)))
        worker.terminate()
        assert worker.wait(180) == 0
    finally:
        worker.kill()


async def want_a_job(url: str) -> None:
    database = connect(url)
    await database.open()
    async with database.transaction() as tx:
        await enqueue(tx, "projects.remove", 1)
    await database.close()


async def is_done(url: str) -> bool:
    database = connect(url)
    await database.open()
    async with database.reading() as tx:
        left = await tx.value("SELECT count(*) FROM jobs")
    await database.close()
    return left == 0
