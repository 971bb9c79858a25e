"""Background work on projects."""

from mujina.domains.projects import operations
from mujina.kernel.jobs.tasks import Run, task


@task("projects.remove")
async def remove_project(run: Run, key: str) -> None:
    """The data of a deleted project is gone."""
    async with run.database.transaction() as tx:
        await operations.erase(tx, int(key))
