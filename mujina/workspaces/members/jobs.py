"""What the clock does to members."""

from datetime import timedelta

from mujina.kernel.jobs.tasks import Run, task
from mujina.workspaces.members import operations


@task("members.forget_expired", every=timedelta(days=1))
async def forget_expired(run: Run, key: str) -> None:  # noqa: ARG001 - the clock wants no particular key
    """Grants that have expired take up no room; they have counted for nothing since."""
    async with run.database.transaction() as tx:
        await operations.forget_expired(tx)
