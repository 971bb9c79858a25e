"""Background work on groups."""

from datetime import timedelta

from mujina.kernel.jobs.queue import enqueue
from mujina.kernel.jobs.tasks import Run, task
from mujina.workspaces.groups import operations
from mujina.workspaces.projects import removal as projects

BREATH = timedelta(seconds=30)
"""What the removal of the projects is given before it is looked at again."""


@task("groups.remove")
async def remove_group(run: Run, key: str) -> None:
    """The data of a deleted group is gone, that of its projects first."""
    while True:
        async with run.database.transaction() as tx:
            group_ids = await operations.below(tx, int(key))
            if await projects.announce(tx, group_ids):
                continue
            if await projects.remain(tx, group_ids):
                await enqueue(tx, "groups.remove", key, after=BREATH)
            else:
                await operations.erase(tx, int(key))
            return
