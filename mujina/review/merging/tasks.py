"""Background jobs of merging."""

from mujina.kernel.jobs.tasks import Run, task
from mujina.review.merging import operations, sources


@task("merge_requests.check", long=True)
async def check_merge_requests(run: Run, key: str) -> None:
    """Updates after a push whether the open requests of a project can be merged."""
    await operations.check_all(run.services, int(key))


@task("merge_requests.remove_source")
async def remove_source_branch(run: Run, key: str) -> None:
    """The source branch of a merged request is gone, where that was wanted and is possible."""
    await sources.remove_source(run.services, int(key))
