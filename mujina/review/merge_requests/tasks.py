"""Background jobs for merge requests."""

from mujina.code.pushes.repo_paths import find_storage
from mujina.kernel.jobs.tasks import Run, task
from mujina.review.merge_requests.branches import pushes
from mujina.review.versions import operations as versions
from mujina.review.versions.operations import RepositoryRef


@task("merge_requests.refresh")
async def refresh_merge_request(run: Run, key: str) -> None:
    """The newest version and the ref for fetching are at the tip of the source branch."""
    await pushes.refresh(run.services, int(key))


@task("merge_requests.remove_refs")
async def remove_refs(run: Run, key: str) -> None:
    """The refs of a deleted request are gone; `key` is `project!iid`."""
    project_id, iid = (int(part) for part in key.split("!"))
    storage = await find_storage(run.services, project_id)
    if storage is not None:
        await versions.withdraw_head(run.services, RepositoryRef(project_id, storage), iid)
