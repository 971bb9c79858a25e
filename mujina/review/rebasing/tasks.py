"""Background jobs of rebasing."""

from datetime import timedelta

from mujina.kernel.jobs.tasks import Run, task
from mujina.review.rebasing import operations


@task("merge_requests.rebase", limit=timedelta(minutes=10), long=True)
async def rebase_merge_request(run: Run, key: str) -> None:
    """The source branch contains the target, or `merge_error` says why not."""
    await operations.rebase(run.services, int(key))
