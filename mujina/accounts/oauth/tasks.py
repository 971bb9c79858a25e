"""Scheduled work on grants and tokens."""

from datetime import timedelta

from mujina.accounts.oauth import tokens
from mujina.kernel.jobs.tasks import Run, task


@task("oauth.sweep", every=timedelta(days=1))
async def sweep_oauth(run: Run, key: str) -> None:  # noqa: ARG001 - scheduled tasks have no key
    """Delete expired grants and tokens."""
    async with run.database.transaction() as tx:
        await tokens.delete_expired(tx)
