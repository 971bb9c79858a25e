"""What the clock does to sessions."""

from datetime import timedelta

from mujina.accounts.sessions import operations
from mujina.kernel.jobs.tasks import Run, task


@task("sessions.sweep", every=timedelta(hours=6))
async def sweep_sessions(run: Run, key: str) -> None:  # noqa: ARG001 - the clock wants no particular key
    """What ran out takes up no room; it has counted for nothing since."""
    async with run.database.transaction() as tx:
        await operations.sweep(tx)
