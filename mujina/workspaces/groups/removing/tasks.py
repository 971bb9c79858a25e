"""Background work on groups."""

from datetime import timedelta

from mujina.kernel.jobs.queue import enqueue
from mujina.kernel.jobs.tasks import Run, task
from mujina.kernel.removals import clean_up
from mujina.workspaces.groups import avatars, operations
from mujina.workspaces.projects.removing import with_owner as projects

RETRY_DELAY = timedelta(seconds=30)
"""How long the job waits for other jobs before it checks again."""

BATCH = 50
"""How many groups one transaction erases, so that other writers never wait long."""


@task("groups.remove")
async def remove_group(run: Run, key: str) -> None:
    """Erase the data of a deleted group and of those below it, that of their projects first.

    It waits for jobs that have to know the members of the groups.
    The lowest groups go first. A run that is interrupted leaves the top ones, from which the next one finds the rest.
    """
    while True:
        async with run.database.transaction() as tx:
            ids = await operations.below(tx, int(key))
            if await operations.announce(tx, ids) or await projects.announce(tx, ids):
                continue
            if await projects.remain(tx, ids) or not await clean_up(tx.product.all(operations.GROUP_MEMBERS), tx, ids):
                await enqueue(tx, "groups.remove", key, after=RETRY_DELAY)
                return
        if not ids:
            return
        await _erase(run, ids[:BATCH])


async def _erase(run: Run, ids: list[int]) -> None:
    """Files go before the rows that name them."""
    async with run.database.reading() as tx:
        pictures = await avatars.keys_of(tx, ids)
    for picture in pictures:
        await run.services.files.remove(picture)
    async with run.database.transaction() as tx:
        await operations.erase(tx, ids)
