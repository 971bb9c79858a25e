"""`mujina worker`: jobs are run wherever the database is reached."""

import asyncio
import subprocess
import sys
from pathlib import Path

from mujina.kernel.db.connect import connect
from mujina.kernel.jobs.queue import enqueue
from mujina.migrations.upgrade import migrate
from tests.harness.running import ROOT
from tests.serve.wire import eventually


def test_a_worker_runs_enqueued_jobs_until_it_is_stopped(tmp_path: Path, database_url: str):
    asyncio.run(want_a_job(database_url))
    flags = ("--data", str(tmp_path / "data"), "--database-url", database_url)
    with subprocess.Popen([sys.executable, "-m", "mujina", "worker", *flags], cwd=ROOT) as worker:
        try:
            eventually(lambda: asyncio.run(is_done(database_url)))
            worker.terminate()
            assert worker.wait(60) == 0
        finally:
            worker.kill()


async def want_a_job(url: str) -> None:
    await migrate(url)
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
