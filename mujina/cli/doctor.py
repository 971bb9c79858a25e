"""`mujina doctor`."""

import asyncio
import shutil
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime, timedelta

from mujina.cli.folders import check_can_be_made, make_data_folder
from mujina.cli.instance import MEND, Instance
from mujina.cli.programs import check_git
from mujina.cli.trouble import Trouble
from mujina.configuration import unknown_variables
from mujina.kernel import clock
from mujina.kernel.db.connect import connect
from mujina.kernel.db.errors import DatabaseError
from mujina.kernel.db.transaction import Database
from mujina.migrations.state import schema_state
from mujina.settings import Settings

HERE = Instance()
LEAST_FREE_BYTES = 500_000_000
BUILT = datetime(2025, 1, 1, tzinfo=UTC)
"""No clock that is right shows an earlier time."""

Check = Callable[[Settings], Awaitable[str]]
"""What was found to be well; otherwise `Trouble` says how to mend it."""


def doctor(instance: Instance = HERE) -> int:
    """Look for what would keep this instance from working, and say how to mend it."""
    return asyncio.run(_examine(instance.settings()))


async def _examine(settings: Settings) -> int:
    ill = 0
    for name, check in CHECKS.items():
        try:
            print(f"ok       {name}: {await check(settings)}")
        except (Trouble, DatabaseError) as trouble:
            ill += 1
            print(f"TROUBLE  {name}: {trouble}")
    return 1 if ill else 0


async def _settings(settings: Settings) -> str:
    if unknown := unknown_variables():
        raise Trouble(f"{unknown[0]} is set, but is not a setting: see `mujina config show` for those that are.")
    return f"served as {settings.url}"


async def _data(settings: Settings) -> str:
    if not settings.data.exists():
        check_can_be_made(settings.data)
        return f"{settings.data} will be made at first start"
    make_data_folder(settings.data)
    if settings.data.stat().st_mode & 0o077:
        raise Trouble(f"{settings.data} can be read by other users of this machine: run `chmod 700 {settings.data}`.")
    free = shutil.disk_usage(settings.data).free
    if free < LEAST_FREE_BYTES:
        raise Trouble(f"{settings.data} has {free // 1_000_000} MB left: make room, or move it with --data.")
    return f"{settings.data} is writable, with {free // 1_000_000_000} GB free"


async def _database(settings: Settings) -> str:
    if settings.sqlite_file and not settings.sqlite_file.exists():
        return f"{settings.sqlite_file} will be made at first start"
    database = connect(settings.database)
    await database.open()
    try:
        if (state := await schema_state(database)) != "current":
            raise Trouble(MEND[state])
        await _check_order_of_time(database)
    finally:
        await database.close()
    return f"{NAMES[database.engine]} is reached, with the schema of this version"


async def _check_order_of_time(database: Database) -> None:
    async with database.reading() as tx:
        newest: str | None = await tx.value("SELECT created_at FROM events ORDER BY id DESC LIMIT 1")
    if newest and newest > clock.iso(datetime.now(UTC) + timedelta(minutes=1)):
        raise Trouble(f"its newest event happened at {newest}, which is to come: set the clock of this machine.")


async def _git(_: Settings) -> str:
    return check_git()


async def _clock(_: Settings) -> str:
    if datetime.now(UTC) < BUILT:
        raise Trouble(f"it shows {clock.now()}, which is long past: set it, and keep it set with NTP.")
    return clock.now()


NAMES = {"sqlite": "SQLite", "postgres": "PostgreSQL"}
CHECKS: Mapping[str, Check] = {
    "settings": _settings,
    "data folder": _data,
    "database": _database,
    "git": _git,
    "clock": _clock,
}
