"""Background jobs for new versions of merge requests."""

from mujina.kernel.jobs.tasks import Run, task
from mujina.review.version_changes import operations


@task("merge_requests.follow_versions")
async def follow_versions(run: Run, key: str) -> None:
    """Note the commits that pushes added, and move discussions to the lines of the newest version."""
    await operations.follow_versions(run.services, int(key))
