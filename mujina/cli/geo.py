"""`mujina geo`."""

import asyncio
from typing import Annotated

from cyclopts import App, Parameter

from mujina import app
from mujina.cli.errors import CommandError
from mujina.cli.instance import Instance
from mujina.cli.output import print_table
from mujina.instance.editions.rules import has_feature, register_edition
from mujina.kernel.actor import SYSTEM
from mujina.kernel.urls import InstanceAddress, instance_address
from mujina.replication.nodes import operations
from mujina.replication.nodes.rules import list_nodes
from mujina.replication.statuses.entities import NodeStatus, shown_status
from mujina.replication.statuses.measuring import measured
from mujina.replication.statuses.rules import list_statuses
from mujina.settings import Settings

geo = App(name="geo")
DEFAULT_INSTANCE = Instance()
ALONE = "This instance uses SQLite: it is a primary alone. Replication needs PostgreSQL."


@geo.command(name="init-primary")
def init_primary(
    url: Annotated[str | None, Parameter(help="Address at which secondaries reach it. Unset: external_url.")] = None,
    *,
    instance: Instance = DEFAULT_INSTANCE,
) -> None:
    """Make this instance the primary, whose data secondaries copy; or change its address."""
    settings = _settings(instance)
    if settings.sqlite_file:
        raise CommandError(ALONE)
    address = url or settings.external_url
    if address is None:
        raise CommandError("Give the address at which secondaries reach this instance, or set external_url.")
    print(f"This instance is the primary at {asyncio.run(_init_primary(instance, address))}")


@geo.command
def status(*, instance: Instance = DEFAULT_INSTANCE) -> None:
    """Show all nodes, how healthy they are, and how much each secondary has copied."""
    settings = _settings(instance)
    asyncio.run(_status(instance, settings))
    if settings.sqlite_file:
        print(ALONE)


def _settings(instance: Instance) -> Settings:
    settings = instance.settings()
    register_edition(settings.edition)
    if not has_feature("replication"):
        raise CommandError(f"The edition {settings.edition} has no replication: see the setting edition.")
    return settings


async def _init_primary(instance: Instance, url: str) -> str:
    async with instance.database() as database:
        services = app.build_services(instance.settings(), database)
        async with database.transaction() as tx:
            return await operations.init_primary(tx, SYSTEM, services.vault, url)


async def _status(instance: Instance, settings: Settings) -> None:
    instance_address.set(InstanceAddress(settings.url))
    async with instance.database() as database:
        services = app.build_services(settings, database)
        async with database.reading() as tx:
            nodes, stored = await list_nodes(tx), await list_statuses(tx)
        for node in nodes:
            if (own := await measured(services, node)) is not None:
                stored[node.id] = own
    rows: list[tuple[object, ...]] = []
    for node in nodes:
        role = "primary" if node.is_primary else "secondary"
        shown = shown_status(node, stored[node.id], with_wikis=True) if node.id in stored else None
        rows.append((node.id, node.url, role, node.enabled, *_columns(shown)))
    print_table(
        ("id", "url", "role", "enabled", "health", "lag", "repositories", "wikis", "files", "large files"), rows
    )


def _columns(status: NodeStatus | None) -> tuple[object, ...]:
    if status is None:
        return ("never reported", "", "", "", "", "")
    return (
        status.health,
        "" if status.db_replication_lag_seconds is None else f"{status.db_replication_lag_seconds} s",
        _copied(status.repositories_synced_count, status.repositories_count),
        _copied(status.wikis_synced_count, status.wikis_count),
        _copied(status.attachments_synced_count, status.attachments_count),
        _copied(status.lfs_objects_synced_count, status.lfs_objects_count),
    )


def _copied(synced: object, count: object) -> str:
    return f"{count}" if synced is None else f"{synced} of {count}"
