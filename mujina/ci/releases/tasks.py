"""The task that follows the success of a job with a release."""

from mujina.ci.releases import operations
from mujina.kernel.jobs.tasks import Run, task


@task("releases.create")
async def create_release(run: Run, key: str) -> None:
    """The tag of the release exists and is described, as far as the user of the job may do that."""
    await operations.create_release(run.services, int(key))
