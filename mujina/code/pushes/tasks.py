"""Background work on pushes."""

from mujina.code.pushes import operations
from mujina.code.pushes.records import RECOVERY_DELAY
from mujina.kernel.jobs.queue import enqueue
from mujina.kernel.jobs.tasks import Run, task


@task("pushes.recover")
async def recover_push(run: Run, key: str) -> None:
    """An intended push whose process is dead is recorded if its refs have moved, and deleted if they have not."""
    if not await operations.recover(run.services, int(key)):
        async with run.database.transaction() as tx:
            await enqueue(tx, "pushes.recover", key, owner_id=run.owner_id, after=RECOVERY_DELAY)
