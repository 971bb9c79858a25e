"""`mujina geo`."""

import asyncio
from typing import Annotated

from cyclopts import App, Parameter

from mujina import app
from mujina.cli.errors import CommandError
from mujina.cli.instance import DEFAULT_INSTANCE, Instance
from mujina.cli.output import print_table
from mujina.cli.prerequisites import make_data_folder
from mujina.cli.secondary import as_secondary, refuse_on_secondary
from mujina.instance.editions.rules import has_feature, register_edition
from mujina.kernel import clock
from mujina.kernel.db.connect import connect
from mujina.kernel.db.postgres import replication as postgres_replication
from mujina.kernel.db.transaction import Database
from mujina.kernel.permissions.actor import SYSTEM
from mujina.kernel.text.folding import fold
from mujina.kernel.urls import use_configured
from mujina.migrations.upgrade import migrate
from mujina.replication.nodes import operations
from mujina.replication.nodes.identity import NodeIdentity, read_identity, registry_url, remove_identity
from mujina.replication.nodes.operations import CODE_LIFETIME
from mujina.replication.nodes.rules import find_primary
from mujina.replication.registry import operations as registry_operations
from mujina.replication.registry.rules import RepositoryKind
from mujina.replication.statuses.entities import NodeStatus, shown_status
from mujina.replication.statuses.measuring import read_statuses
from mujina.replication.sync.operations import join_primary
from mujina.replication.sync.promotion import find_missing_copies
from mujina.settings import Settings

geo = App(name="geo")
CODE_HOURS = int(CODE_LIFETIME.total_seconds() // 3600)
PROMOTION_SECONDS = 60
MAX_NAMED = 20
"""Projects that the command names."""
NEEDS_POSTGRESQL = "This instance uses SQLite: it is a primary alone. Replication needs PostgreSQL."


@geo.command(name="init-primary")
async def init_primary(
    url: Annotated[str | None, Parameter(help="Address at which secondaries reach it. Unset: external_url.")] = None,
    *,
    instance: Instance = DEFAULT_INSTANCE,
) -> None:
    """Make this instance the primary, whose data secondaries copy; or change its address."""
    settings = _settings(instance)
    refuse_on_secondary(settings)
    if settings.sqlite_file:
        raise CommandError(NEEDS_POSTGRESQL)
    address = url or settings.external_url
    if address is None:
        raise CommandError("Give the address at which secondaries reach this instance, or set external_url.")
    async with instance.database() as database:
        services = await app.services_for(settings, database)
        async with database.transaction() as tx:
            chosen = await operations.init_primary(tx, SYSTEM, services.vault, address)
    print(f"This instance is the primary at {chosen}")


@geo.command(name="add-secondary")
async def add_secondary(url: str, *, instance: Instance = DEFAULT_INSTANCE) -> None:
    """Add a secondary that users reach at this address, and print the command with which its machine joins."""
    settings = _settings(instance)
    refuse_on_secondary(settings)
    if settings.sqlite_file:
        raise CommandError(NEEDS_POSTGRESQL)
    async with instance.database() as database:
        services = await app.services_for(settings, database)
        async with database.transaction() as tx:
            node = await operations.add_secondary(tx, SYSTEM, services.vault, url)
            primary = await find_primary(tx)
    assert primary is not None
    print(f"Added the secondary {node.url} Run this on its machine within {CODE_HOURS} hours, with the settings of the")
    print("instance there and database_url pointing to a replica of the primary's database:")
    print(f"mujina geo join {primary.url} {node.code}")


@geo.command
def join(primary_url: str, code: str, *, instance: Instance = DEFAULT_INSTANCE) -> None:
    """Make this machine a secondary, with the code that `mujina geo add-secondary` printed on the primary."""
    settings = _settings(instance)
    if settings.sqlite_file:
        raise CommandError("A secondary needs a PostgreSQL that is a replica of the primary's: set database_url.")
    if settings.instance_key is not None:
        raise CommandError("Unset instance_key: a secondary gets the key of the primary.")
    if read_identity(settings.data) is None and (settings.data / "secrets" / "instance.key").exists():
        raise CommandError(f"{settings.data} belongs to another instance: give an empty data folder.")
    make_data_folder(settings.data)
    identity = asyncio.run(_join(settings, primary_url, code))
    print(f"This machine is the secondary {identity.url} of {identity.primary_url} Start it with `mujina serve`.")


@geo.command
async def promote(
    *,
    confirm: Annotated[bool, Parameter(negative="", help="The primary is stopped and stays so.")] = False,
    instance: Instance = DEFAULT_INSTANCE,
) -> None:
    """Make this secondary the primary. What the primary acknowledged and this node has not received is lost."""
    settings = _settings(instance)
    identity = read_identity(settings.data)
    if identity is None:
        raise CommandError("This instance is no secondary: there is nothing to promote.")
    if not confirm:
        raise CommandError(
            "Stop the primary for good, so that it receives no more writes, then run this with --confirm."
        )
    database = connect(settings.database)
    await database.open()
    try:
        async with database.reading() as tx:
            replica = await postgres_replication.read_replica(tx)
            if replica.in_recovery and not await postgres_replication.promote(tx, PROMOTION_SECONDS):
                raise CommandError(f"PostgreSQL did not become a primary within {PROMOTION_SECONDS} seconds.")
        app.compose(settings, database)
        async with database.transaction() as tx:
            former = await operations.promote(tx, SYSTEM, identity.node_id)
        lacking = await _list_missing_copies(settings, database)
    finally:
        await database.close()
    remove_identity(settings.data)
    print(f"This instance is the primary at {identity.url} Start it again with `mujina serve`.")
    if former and replica.replayed_at is not None:
        print(f"The last change that it received from {former} is of {clock.spelled(replica.replayed_at)}.")
    for line in lacking:
        print(line)


@geo.command(name="confirm-loss")
async def confirm_loss(
    project: str,
    *,
    wiki: Annotated[bool, Parameter(negative="", help="The wiki of the project, not its repository.")] = False,
    instance: Instance = DEFAULT_INSTANCE,
) -> None:
    """Let the copy of a project lose the refs that the primary lacks, though no push deleted them; run this on the secondary."""
    settings = _settings(instance)
    if read_identity(settings.data) is None:
        raise CommandError("This instance is no secondary: run this where the copy is.")
    await _confirm_loss(instance, settings, project, wiki=wiki)
    print(f"The {'wiki' if wiki else 'repository'} of {project} is copied as the primary has it now.")


@geo.command
async def status(*, instance: Instance = DEFAULT_INSTANCE) -> None:
    """Show all nodes, how healthy they are, and how much each secondary has copied."""
    settings = _settings(instance)
    await _status(instance, settings)
    if settings.sqlite_file:
        print(NEEDS_POSTGRESQL)


def _settings(instance: Instance) -> Settings:
    settings = instance.settings()
    register_edition(settings.edition)
    if not has_feature("replication"):
        raise CommandError(f"The edition {settings.edition} has no replication: see the setting edition.")
    return settings


async def _join(settings: Settings, primary_url: str, code: str) -> NodeIdentity:
    database = connect(settings.database)
    await database.open()
    try:
        async with database.reading() as tx:
            replica = await postgres_replication.read_replica(tx)
            identifier = await postgres_replication.system_identifier(tx)
    finally:
        await database.close()
    if not replica.in_recovery:
        raise CommandError("The database is not a replica: set up streaming replication from the primary's first.")
    return await join_primary(settings, primary_url, code, identifier)


async def _list_missing_copies(settings: Settings, database: Database) -> list[str]:
    """Sentences about what this node had not copied yet."""
    registry = connect(registry_url(settings))
    try:
        await registry.open()
        found = await find_missing_copies(database, registry)
    except Exception as error:  # noqa: BLE001 - the node is the primary, whatever it lacks
        return [f"What it had not copied yet is not known: {error!r}."]
    finally:
        await registry.close()
    more = len(found.projects) - MAX_NAMED
    named = ", ".join(found.projects[:MAX_NAMED]) + (f" and {more} more" if more > 0 else "")
    lines = [f"The newest pushes of these projects were not copied: {named}."] if found.projects else []
    return [*lines, f"Files that were not copied: {found.files}."] if found.files else lines


async def _confirm_loss(instance: Instance, settings: Settings, project: str, *, wiki: bool) -> None:
    async with instance.database() as database, database.reading() as tx:
        project_id = await tx.value("SELECT r.project_id FROM routes r WHERE r.path_folded = :path", path=fold(project))
    await _make_registry(settings)
    registry = connect(registry_url(settings))
    await registry.open()
    try:
        async with registry.transaction() as tx:
            kind: RepositoryKind = "wiki" if wiki else "repository"
            if project_id is None or not await registry_operations.confirm_loss(tx, project_id, kind):
                raise CommandError(f"No copy of {project} waits for this: see `GET /geo_nodes/current/failures`.")
    finally:
        await registry.close()


async def _make_registry(settings: Settings) -> None:
    """A secondary that has not been served yet has no tables for what it copied."""
    if read_identity(settings.data) is not None:
        await migrate(registry_url(settings))


async def _status(instance: Instance, settings: Settings) -> None:
    use_configured(settings)
    await _make_registry(settings)
    async with instance.database() as database, as_secondary(await app.services_for(settings, database)) as services:
        nodes, stored = await read_statuses(services)
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
