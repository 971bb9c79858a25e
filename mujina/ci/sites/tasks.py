"""Background work on sites."""

from mujina.ci.sites import operations
from mujina.kernel.jobs.tasks import Run, task


@task("sites.publish")
async def publish_site(run: Run, key: str) -> None:
    """The archive of the job is the site of its project, or the reason is recorded why not."""
    await operations.publish(run.services, int(key))


@task("sites.remove_file")
async def remove_file(run: Run, key: str) -> None:
    """Remove an archive that no row names any more."""
    await run.services.files.remove(key)
