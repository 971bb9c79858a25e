"""`mujina migrate` and `mujina database`."""

import asyncio
from pathlib import Path
from typing import Annotated

import msgspec
from cyclopts import App, Parameter

from mujina.backups.copying import any_table, copy_database
from mujina.cli.commands.backups import shown_progress
from mujina.cli.errors import CommandError
from mujina.cli.instance import DEFAULT_INSTANCE, SCHEMA_ADVICE, Instance
from mujina.cli.prerequisites import make_data_folder
from mujina.cli.secondary import refuse_on_secondary
from mujina.cli.server_record import database_name, read_record, without_password
from mujina.kernel.db.connect import opened, sqlite_file
from mujina.kernel.services import find_secondary
from mujina.migrations.state import schema_state
from mujina.migrations.upgrade import migrate as migrate_database
from mujina.product import PRODUCT
from mujina.settings import Settings

database_commands = App(name="database")


async def migrate(instance: Instance = DEFAULT_INSTANCE) -> None:
    """Create the database, or upgrade its schema to this version. `mujina serve` does this automatically."""
    settings = instance.settings()
    if find_secondary(PRODUCT, settings) is not None:
        async with opened(settings.database) as database:
            if await schema_state(database) != "current":
                refuse_on_secondary(settings)
    make_data_folder(settings.data)
    if done := await migrate_database(settings.database):
        print(done)
    print("The database has the schema of this version.")


@database_commands.command
def copy(
    source: Annotated[str, Parameter(name="FROM", help="URL of the database that is read, as in --database-url.")],
    target: Annotated[str, Parameter(name="TO", help="URL of the database that is filled: an empty one.")],
    *,
    instance: Instance = DEFAULT_INSTANCE,
) -> None:
    """Copy all rows from one database to another, between SQLite and PostgreSQL in either direction, and verify them."""
    settings = instance.settings()
    _refuse_running_server(settings, source)
    _check_files(sqlite_file(source), sqlite_file(target))
    asyncio.run(_check_databases(source, target))
    with shown_progress() as progress:
        rows = copy_database(source, target, progress)
    print(f"Copied and verified {rows} rows. Set database_url to {without_password(target)}, then start Mujina.")


def _refuse_running_server(settings: Settings, source: str) -> None:
    """What a server writes after the rows were read would be lost without a word."""
    record = read_record(settings.data)
    name = database_name(msgspec.structs.replace(settings, database_url=source))
    if record is not None and record.running and record.database == name:
        raise CommandError(f"The server of {settings.data} uses this database: stop it, then run this again.")


def _check_files(source: Path | None, target: Path | None) -> None:
    if source is not None and not source.exists():
        raise CommandError(f"FROM: there is no file {source}.")
    if target is not None:
        make_data_folder(target.absolute().parent)


async def _check_databases(source: str, target: str) -> None:
    async with opened(source) as database:
        if (state := await schema_state(database)) != "current":
            raise CommandError(f"FROM: {SCHEMA_ADVICE[state]}")
    if sqlite_file(target) is None:
        async with opened(target) as database:
            if table := await any_table(database):
                raise CommandError(f"TO: the database is not empty, it has the table {table}: create another.")
