"""Background work on the log."""

from datetime import timedelta

from mujina.kernel.jobs.tasks import Run, task
from mujina.replication.log import operations


@task("replication.prune_log", every=timedelta(hours=6))
async def prune_log(run: Run, _key: str) -> None:
    """Delete what every secondary has applied."""
    async with run.database.transaction() as tx:
        await operations.prune(tx)
