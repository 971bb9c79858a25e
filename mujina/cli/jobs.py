"""`mujina job`."""

import asyncio

from cyclopts import App

from mujina.cli.instance import Instance
from mujina.cli.output import print_table
from mujina.cli.trouble import Trouble
from mujina.kernel.jobs import failures

jobs = App(name="job")
HERE = Instance()


@jobs.command(name="list")
def show(*, instance: Instance = HERE) -> None:
    """List the jobs whose last run failed, those given up first."""
    asyncio.run(_show(instance))


@jobs.command
def retry(task: str, key: str = "", *, instance: Instance = HERE) -> None:
    """Have a failed job tried again at once, with all its attempts before it."""
    asyncio.run(_retry(instance, task, key))


async def _show(instance: Instance) -> None:
    async with instance.database() as database, database.reading() as tx:
        failed = await failures.failed_jobs(tx)
    print_table(
        ("task", "key", "attempts", "next", "error"),
        [
            (job.task, job.key, job.attempts, "never" if job.parked_at else job.ready_at, job.last_error)
            for job in failed
        ],
    )


async def _retry(instance: Instance, task: str, key: str) -> None:
    async with instance.database() as database, database.transaction() as tx:
        if not await failures.retry(tx, task, key):
            raise Trouble(f"No job {task} {key} waits after a failure: see `mujina job list`.")
    print(f"{task} {key} is tried again.")
