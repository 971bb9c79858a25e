"""Tasks that move pipelines on."""

from datetime import timedelta

from mujina.ci.jobs.operations import play
from mujina.ci.jobs.processing import process
from mujina.code.pipelines import operations as pipelines
from mujina.kernel import clock
from mujina.kernel.jobs.queue import enqueue
from mujina.kernel.jobs.tasks import Run, task
from mujina.kernel.permissions.actor import ANONYMOUS, Actor


@task("pipelines.process")
async def process_pipeline(run: Run, key: str) -> None:
    """Start the jobs whose turn it is, and compute the status of the pipeline."""
    async with run.database.transaction() as tx:
        pipeline = await pipelines.lock(tx, int(key))
        if pipeline is not None:
            await process(tx, Actor(id=pipeline.user_id or 0), pipeline)


@task("pipeline_jobs.start_delayed")
async def start_delayed_job(run: Run, key: str) -> None:
    """Start a delayed job whose time has come, unless it was played or canceled before."""
    async with run.database.transaction() as tx:
        scheduled_at = await tx.value(
            "SELECT j.scheduled_at FROM pipeline_jobs j WHERE j.id = :id AND j.status = 'scheduled'", id=int(key)
        )
        if scheduled_at is None:
            return
        if (left := clock.seconds_until(scheduled_at)) > 0:
            await enqueue(tx, start_delayed_job.name, key, after=timedelta(seconds=left))
        else:
            await play(tx, ANONYMOUS, int(key))
