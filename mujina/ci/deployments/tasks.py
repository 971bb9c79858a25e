"""The task that follows the success of a job with an environment."""

from mujina.ci.deployments.operations import record_outcome
from mujina.kernel.jobs.tasks import Run, task


@task("deployments.record")
async def record_deployment(run: Run, key: str) -> None:
    """The environment of the job is as the job has left it."""
    async with run.database.transaction() as tx:
        await record_outcome(tx, run.services, int(key))
