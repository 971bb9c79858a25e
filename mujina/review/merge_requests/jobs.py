"""Background jobs for merge requests."""

from mujina.kernel.jobs.tasks import Run, task
from mujina.review.merge_requests import pushes


@task("merge_requests.refresh")
async def refresh_merge_request(run: Run, key: str) -> None:
    """The newest version and the ref for fetching are at the tip of the source branch."""
    await pushes.refresh(run.services, int(key))
