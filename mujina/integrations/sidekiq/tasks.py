"""Measures how much waits in the background, for the chart of the administration."""

from datetime import timedelta

from mujina.integrations.sidekiq import samples
from mujina.kernel.jobs.tasks import Run, task


@task("queues.measure", every=timedelta(minutes=10))
async def measure_queues(run: Run, key: str) -> None:  # noqa: ARG001 - a scheduled task has no key
    async with run.database.transaction() as tx:
        await samples.measure(tx)
