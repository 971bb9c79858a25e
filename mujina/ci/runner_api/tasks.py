"""Tasks about jobs and their runners."""

from datetime import timedelta

from mujina.ci.jobs.operations import finish
from mujina.ci.runner_api.stuck import find_stuck_jobs
from mujina.kernel.jobs.tasks import Run, task


@task("pipeline_jobs.fail_stuck", every=timedelta(hours=1))
async def fail_stuck_jobs(run: Run, key: str) -> None:  # noqa: ARG001 - there is one
    """Fail the jobs whose runner fell silent, and those that no runner takes."""
    async with run.database.searching() as tx:
        stuck = await find_stuck_jobs(tx)
    while stuck:
        for job_id in stuck:
            async with run.database.transaction() as tx:
                await finish(tx, job_id, "failed", "stuck_or_timeout_failure")
        async with run.database.searching() as tx:
            left = await find_stuck_jobs(tx)
        stuck = left if left != stuck else []
