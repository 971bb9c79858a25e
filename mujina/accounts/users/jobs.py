"""Background work on people: what they leave behind finds its place."""

from datetime import timedelta

from mujina.accounts.users import avatars, removal
from mujina.accounts.users.ghost import ghost
from mujina.kernel.jobs.queue import enqueue
from mujina.kernel.jobs.tasks import Run, task
from mujina.planning.awards import contributions as awards
from mujina.planning.issues import contributions as issues
from mujina.planning.notes import contributions as notes
from mujina.planning.todos import contributions as todos

CONTRIBUTIONS = (todos, notes, awards, issues)
"""Every slice that keeps what people write: each gives it away, or erases it."""

BREATH = timedelta(seconds=30)
"""What the removal of the person's projects is given before it is looked at again."""


@task("users.remove")
async def remove_user(run: Run, key: str) -> None:
    """What a deleted person wrote is the ghost's; their own data is gone."""
    async with run.database.transaction() as tx:
        heir = await ghost(tx)
        for kept in CONTRIBUTIONS:
            await kept.give(tx, int(key), heir)
    await _erase(run, "users.remove", key)


@task("users.erase")
async def erase_user(run: Run, key: str) -> None:
    """What a deleted person wrote is gone with them."""
    async with run.database.transaction() as tx:
        for kept in CONTRIBUTIONS:
            await kept.erase(tx, int(key))
    await _erase(run, "users.erase", key)


async def _erase(run: Run, task_name: str, key: str) -> None:
    async with run.database.reading() as tx:
        picture = await avatars.key_of(tx, int(key))
    if picture is not None:
        await run.house.files.remove(picture)
    async with run.database.transaction() as tx:
        if not await removal.erase(tx, int(key)):
            await enqueue(tx, task_name, key, after=BREATH)
