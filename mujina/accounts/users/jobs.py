"""Background work on people: what they leave behind finds its place."""

from datetime import timedelta

from mujina.accounts.users import avatars, removal
from mujina.accounts.users.ghost import ghost
from mujina.kernel.jobs.queue import enqueue
from mujina.kernel.jobs.tasks import Run, task
from mujina.kernel.removals import clean_up

RETRY_DELAY = timedelta(seconds=30)
"""What the removal of the person's projects is given before it is looked at again."""


@task("users.remove")
async def remove_user(run: Run, key: str) -> None:
    """What a deleted person wrote is the ghost's; their own data is gone."""
    async with run.database.transaction() as tx:
        await clean_up("user.contributions_given", tx, int(key), await ghost(tx))
    await _erase(run, "users.remove", key)


@task("users.erase")
async def erase_user(run: Run, key: str) -> None:
    """What a deleted person wrote is gone with them."""
    async with run.database.transaction() as tx:
        await clean_up("user.contributions_erased", tx, int(key))
    await _erase(run, "users.erase", key)


async def _erase(run: Run, task_name: str, key: str) -> None:
    async with run.database.reading() as tx:
        picture = await avatars.key_of(tx, int(key))
    if picture is not None:
        await run.services.files.remove(picture)
    async with run.database.transaction() as tx:
        if not await removal.erase(tx, int(key)):
            await enqueue(tx, task_name, key, after=RETRY_DELAY)
