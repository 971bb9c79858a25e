"""Scheduled checks of users against their directories."""

from datetime import timedelta

from mujina.accounts.ldap.rules import usable_directories
from mujina.accounts.ldap.user_sync import sync_users
from mujina.kernel.jobs.tasks import Run, task

RUN_LIMIT = timedelta(hours=2)


@task("ldap.sync_users", every=lambda settings: timedelta(seconds=settings.ldap_user_sync), limit=RUN_LIMIT, long=True)
async def check_all_users(run: Run, key: str) -> None:  # noqa: ARG001 - scheduled tasks have no key
    """Check every user of every directory."""
    for directory in usable_directories(run.services.settings):
        await sync_users(run.database, directory)


@task("ldap.check_due_users", every=timedelta(minutes=10), limit=RUN_LIMIT, long=True)
async def check_due_users(run: Run, key: str) -> None:  # noqa: ARG001 - scheduled tasks have no key
    """Check the users whose last check is older than the `check_interval` of their directory."""
    for directory in usable_directories(run.services.settings):
        await sync_users(run.database, directory, due=True)
