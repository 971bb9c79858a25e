"""`mujina job`."""

from typing import Annotated

from cyclopts import App, Parameter

from mujina.cli.errors import CommandError
from mujina.cli.instance import DEFAULT_INSTANCE, Instance
from mujina.cli.output import print_table
from mujina.kernel.jobs import failures

jobs = App(name="job")
# Its module imports the whole product.
jobs.command(
    "mujina.cli.drain:drain",
    name="drain",
    help="Run all due jobs and pending hook deliveries, then exit; a server may run at the same time.",
)


@jobs.command(name="list")
async def show(
    *,
    all: Annotated[bool, Parameter(help="Also those that wait or run.", negative="")] = False,
    instance: Instance = DEFAULT_INSTANCE,
) -> None:
    """List the jobs whose last run failed; jobs without further attempts come first."""
    async with instance.database() as database, database.reading() as tx:
        found = await (failures.all_jobs if all else failures.failed_jobs)(tx)
    print_table(
        ("task", "key", "attempts", "next", "error"),
        [(job.task, job.key, job.attempts, _next(job), job.last_error) for job in found],
    )


@jobs.command
async def retry(
    task: str | None = None,
    key: str = "",
    *,
    all: Annotated[bool, Parameter(help="Every failed job.", negative="")] = False,
    instance: Instance = DEFAULT_INSTANCE,
) -> None:
    """Retry a failed job now, and reset its number of attempts."""
    if (task is None) != all:
        raise CommandError("Name the task of a failed job, or give --all: see `mujina job list`.")
    async with instance.database(to_change=True) as database, database.transaction() as tx:
        chosen = [(task, key)] if task is not None else [(job.task, job.key) for job in await failures.failed_jobs(tx)]
        chosen.sort()  # by their keys, as every transaction that enqueues several
        retried = [job for job in chosen if await failures.retry(tx, *job)]
    if task is not None and not retried:
        raise CommandError(f"There is no failed job {task} {key}: see `mujina job list`.")
    for name in retried:
        print(f"{' '.join(name)} will be retried now.")


def _next(job: failures.ListedJob) -> str:
    if job.running:
        return "running"
    return job.ready_at if job.parked_at is None else "never"
