"""Scheduled work on members."""

from datetime import timedelta

from mujina.kernel.jobs.tasks import Run, task
from mujina.workspaces.members import operations


@task("members.forget_expired", every=timedelta(days=1))
async def delete_expired(run: Run, key: str) -> None:  # noqa: ARG001 - a scheduled run has no key
    """Delete expired memberships and shares; they give no access any more."""
    while True:
        async with run.database.transaction() as tx:
            if await operations.delete_expired(tx):
                break
