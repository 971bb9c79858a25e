"""What the clock does to grants and tokens."""

from datetime import timedelta

from mujina.accounts.oauth import tokens
from mujina.kernel.jobs.tasks import Run, task


@task("oauth.sweep", every=timedelta(days=1))
async def sweep_oauth(run: Run, key: str) -> None:  # noqa: ARG001 - the clock wants no particular key
    """What ran out takes up no room; it has counted for nothing since."""
    async with run.database.transaction() as tx:
        await tokens.sweep(tx)
