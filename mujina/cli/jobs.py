"""`mujina job`."""

import asyncio

from cyclopts import App

from mujina.cli.errors import CommandError
from mujina.cli.instance import Instance
from mujina.cli.output import print_table
from mujina.kernel.jobs import failures

jobs = App(name="job")
DEFAULT_INSTANCE = Instance()


@jobs.command(name="list")
def show(*, instance: Instance = DEFAULT_INSTANCE) -> None:
    """List the jobs whose last run failed; jobs without further attempts come first."""
    asyncio.run(_show(instance))


@jobs.command
def retry(task: str, key: str = "", *, instance: Instance = DEFAULT_INSTANCE) -> None:
    """Retry a failed job now, and reset its number of attempts."""
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
            raise CommandError(f"There is no failed job {task} {key}: see `mujina job list`.")
    print(f"{task} {key} will be retried now.")
