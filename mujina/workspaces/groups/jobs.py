"""Background work on groups."""

from datetime import timedelta

from mujina.kernel.jobs.queue import enqueue
from mujina.kernel.jobs.tasks import Run, task
from mujina.workspaces.groups import operations
from mujina.workspaces.projects import removal as projects

RETRY_DELAY = timedelta(seconds=30)
"""How long the job waits for the removal of the projects before it checks again."""


@task("groups.remove")
async def remove_group(run: Run, key: str) -> None:
    """Erase the data of a deleted group, that of its projects first."""
    while True:
        async with run.database.transaction() as tx:
            group_ids = await operations.below(tx, int(key))
            if await projects.announce(tx, group_ids):
                continue
            if await projects.remain(tx, group_ids):
                await enqueue(tx, "groups.remove", key, after=RETRY_DELAY)
            else:
                await operations.erase(tx, int(key))
            return
