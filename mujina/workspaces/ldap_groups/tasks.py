"""Synchronizing groups with their directories: at intervals, when it is asked for, and when a member signs in."""

from datetime import timedelta

from mujina.accounts.ldap.rights import sync_rights
from mujina.accounts.ldap.rules import find_directory, usable_directories
from mujina.accounts.ldap.sign_in import SYNC_MEMBER
from mujina.accounts.ldap.user_sync import find_linked_user
from mujina.directory_settings import DirectoryError
from mujina.instance.editions.rules import has_feature
from mujina.kernel.jobs.tasks import Run, task
from mujina.kernel.monitoring.logs import log
from mujina.workspaces.ldap_groups.operations import SYNC_GROUP, forget_request
from mujina.workspaces.ldap_groups.sync import sync_groups, sync_member

RUN_LIMIT = timedelta(hours=2)


@task(
    "ldap.sync_groups", every=lambda settings: timedelta(seconds=settings.ldap_group_sync), limit=RUN_LIMIT, long=True
)
async def synchronize_groups(run: Run, key: str) -> None:  # noqa: ARG001 - scheduled tasks have no key
    """Synchronize every linked group, then the administrators and external users of every directory."""
    directories = usable_directories(run.services.settings)
    if has_feature("ldap_groups"):
        await sync_groups(run.database, directories)
    for directory in directories:
        await sync_rights(run.database, directory, "administrators")
        await sync_rights(run.database, directory, "external")


@task(SYNC_GROUP, limit=RUN_LIMIT, long=True)
async def synchronize_group(run: Run, key: str) -> None:
    """Synchronize one group on request, unless the edition was lowered since."""
    if not has_feature("ldap_groups"):
        async with run.database.transaction() as tx:
            await forget_request(tx, int(key))
        return
    await sync_groups(run.database, usable_directories(run.services.settings), group_id=int(key))


@task(SYNC_MEMBER)
async def synchronize_member(run: Run, key: str) -> None:
    """Add a user who signed in to the linked groups that hold them."""
    async with run.database.reading() as tx:
        found = await find_linked_user(tx, int(key))
    directory = find_directory(run.services.settings, found.provider) if found else None
    if found is None or directory is None or not has_feature("ldap_groups"):
        return
    try:
        await sync_member(run.database, directory, found)
    except DirectoryError as error:
        log.warning("directory not reachable", provider=directory.provider, problem=str(error))
