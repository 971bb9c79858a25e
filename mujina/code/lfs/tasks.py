"""Background work on LFS objects."""

from datetime import timedelta

from mujina.code.lfs import operations
from mujina.kernel.jobs.tasks import Run, task


@task("lfs.sweep", every=timedelta(days=1))
async def sweep_large_files(run: Run, key: str) -> None:  # noqa: ARG001 - there is one storage
    """Remove objects that no project has, and their files; `files.sweep` finds the files of an interrupted run."""
    while True:
        async with run.database.transaction() as tx:
            files = await operations.take_unused(tx)
        if not files:
            return
        for file in files:
            await run.services.files.remove(file)
