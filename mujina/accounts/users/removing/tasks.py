"""Background removal of deleted users."""

from datetime import timedelta

from mujina.accounts.users.profile import avatars
from mujina.accounts.users.removing import operations as removal
from mujina.accounts.users.removing.ghost import ghost
from mujina.kernel.jobs.queue import enqueue
from mujina.kernel.jobs.tasks import Run, task
from mujina.kernel.removals import clean_up

RETRY_DELAY = timedelta(seconds=30)
"""How long to wait for the removal of the user's projects before the next attempt."""


@task("users.remove")
async def remove_user(run: Run, key: str) -> None:
    """Give what a deleted user wrote to the ghost user, and erase the rest."""
    await removal.hand_over(run.database, int(key), hard=False)
    async with run.database.transaction() as tx:
        await removal.lock_removals(tx)
        await clean_up(tx.product.all(removal.HIDDEN_CONTRIBUTIONS), tx, int(key), await ghost(tx))
    await _erase(run, "users.remove", key)


@task("users.erase")
async def erase_user(run: Run, key: str) -> None:
    """Erase a deleted user with everything they wrote."""
    await removal.hand_over(run.database, int(key), hard=True)
    await _erase(run, "users.erase", key)


async def _erase(run: Run, task_name: str, key: str) -> None:
    async with run.database.reading() as tx:
        avatar = await avatars.key_of(tx, int(key))
    if avatar is not None:
        await run.services.files.remove(avatar)
    async with run.database.transaction() as tx:
        if not await removal.erase(tx, int(key)):
            await enqueue(tx, task_name, key, after=RETRY_DELAY)
