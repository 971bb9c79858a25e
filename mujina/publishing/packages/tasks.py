"""Background work on the files of packages."""

from mujina.kernel.jobs.tasks import Run, task


@task("packages.remove_file")
async def remove_file(run: Run, key: str) -> None:
    """Remove a file that no row names any more."""
    await run.services.files.remove(key)
