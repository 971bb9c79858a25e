"""Scheduled work on sessions."""

from datetime import timedelta

from mujina.accounts.sessions import operations
from mujina.kernel.jobs.tasks import Run, task


@task("sessions.sweep", every=timedelta(hours=6))
async def sweep_sessions(run: Run, key: str) -> None:  # noqa: ARG001 - scheduled tasks have no key
    """Delete expired sessions and old counters."""
    async with run.database.transaction() as tx:
        await operations.delete_expired(tx)
