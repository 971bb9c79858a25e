"""Background work on pushes."""

from mujina.code.pushes import operations
from mujina.kernel.jobs.tasks import Run, task


@task("pushes.recover")
async def recover_push(run: Run, key: str) -> None:
    """An intended push is recorded if its refs have moved, and deleted if they have not."""
    await operations.recover(run.services, int(key))
