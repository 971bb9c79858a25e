"""Background work on the files of jobs."""

from datetime import timedelta

from mujina.ci.artifacts import operations
from mujina.kernel.jobs.tasks import Run, task


@task("artifacts.expire", every=timedelta(hours=1))
async def expire_artifacts(run: Run, key: str) -> None:  # noqa: ARG001 - there is one storage
    """Remove what has expired. The jobs stay."""
    removed = operations.BATCH
    while removed == operations.BATCH:
        async with run.database.transaction() as tx:
            removed = await operations.expire(tx)


@task("artifacts.remove_of_project")
async def remove_project_artifacts(run: Run, key: str) -> None:
    """Remove the artifacts of all jobs of a project; traces stay."""
    removed = operations.BATCH
    while removed == operations.BATCH:
        async with run.database.transaction() as tx:
            removed = await operations.remove(
                tx, "a.project_id = :id AND a.file_type <> :trace", id=int(key), trace=operations.TRACE
            )


@task("artifacts.remove_file")
async def remove_file(run: Run, key: str) -> None:
    """Remove a file that no row names any more."""
    await run.services.files.remove(key)
