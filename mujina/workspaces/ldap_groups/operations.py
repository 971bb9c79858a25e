"""Requests about groups of directories: their names, a synchronization, an override."""

from mujina.accounts.ldap.operations import list_group_names
from mujina.accounts.ldap.rules import find_directory, usable_directories
from mujina.directory_settings import DirectoryError
from mujina.instance.editions.rules import has_feature
from mujina.kernel import errors
from mujina.kernel.db.rows import insert
from mujina.kernel.db.transaction import Tx
from mujina.kernel.jobs.queue import enqueue
from mujina.kernel.monitoring.logs import log
from mujina.kernel.permissions.actor import Actor
from mujina.settings import Settings
from mujina.workspaces.ldap_groups import links
from mujina.workspaces.ldap_groups.links import LinkTarget
from mujina.workspaces.ldap_groups.rules import may_link
from mujina.workspaces.members import operations as members
from mujina.workspaces.members.rules import Source, find_member

SYNC_GROUP = "ldap.sync_group"


async def list_names(settings: Settings, provider: str | None, search: str) -> list[str]:
    """The names of groups of this directory, or of the first one; 503 if it does not answer in time."""
    directories = usable_directories(settings)
    if not directories:
        raise errors.not_found_with("404 Not Found")
    directory = directories[0] if provider is None else find_directory(settings, provider)
    if directory is None:
        raise errors.not_found("Provider")
    try:
        return await list_group_names(directory, search)
    except DirectoryError as error:
        log.warning("directory not reachable", provider=directory.provider, problem=str(error))
        raise errors.unreachable("The directory") from None


async def link_first(tx: Tx, settings: Settings, actor: Actor, group_id: int, cn: str, level: int) -> None:
    """Link a new group to a group of the first directory; 403 unless its owner may. Where there is none, nothing is linked."""
    directories = usable_directories(settings)
    if directories and has_feature("ldap_groups"):
        if not may_link(settings, actor):
            raise errors.forbidden()
        await links.add(tx, actor, group_id, directories[0].provider, LinkTarget(cn), level)


async def request_sync(tx: Tx, actor: Actor, group_id: int) -> None:
    """Synchronize the group soon; one that waits for it already is not enqueued again."""
    await insert(tx, "ldap_group_syncs", "ON CONFLICT DO NOTHING", group_id=group_id)
    requested = await tx.run(
        "UPDATE ldap_group_syncs SET status = 'pending' WHERE group_id = :id AND status IN ('ready', 'failed')",
        id=group_id,
    )
    if requested:
        await enqueue(tx, SYNC_GROUP, group_id, owner_id=actor.id)


async def forget_request(tx: Tx, group_id: int) -> None:
    """The group waits for no synchronization: it can be requested again."""
    await tx.run(
        "UPDATE ldap_group_syncs SET status = 'ready' WHERE group_id = :id AND status = 'pending'", id=group_id
    )


async def set_override(tx: Tx, actor: Actor, group_id: int, user_id: int, *, override: bool) -> None:
    """Keep the member's level whatever the directory says, or let it decide again; 403 for others than its members."""
    source = Source("group", group_id)
    member = await find_member(tx, source, user_id)
    if not member.from_directory:
        raise errors.forbidden("Only the level of a member whom a directory added can be overridden")
    await members.set_override(tx, actor, source, member, override=override)
