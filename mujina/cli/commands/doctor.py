"""`mujina doctor`."""

import asyncio
import shutil
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Annotated

import msgspec
from cyclopts import Parameter

from mujina.cli.commands.fixes import fix_what_is_safe
from mujina.cli.errors import CommandError
from mujina.cli.instance import DEFAULT_INSTANCE, SCHEMA_ADVICE, Instance
from mujina.cli.prerequisites import check_git, make_data_folder
from mujina.cli.server_record import other_database, read_record
from mujina.configuration import unknown_variables
from mujina.instance.identity.operations import find_vault
from mujina.kernel import clock
from mujina.kernel.db.connect import opened
from mujina.kernel.db.errors import DatabaseError
from mujina.kernel.db.transaction import Database
from mujina.kernel.http.certificate_files import UnusableCertificate, check_site_certificate
from mujina.kernel.secrets import UnreadableSecret
from mujina.kernel.services import find_secondary
from mujina.kernel.storage.errors import StorageNotMounted
from mujina.migrations.state import schema_state
from mujina.planning.storage.operations import check_places, list_missing
from mujina.processes.listener import CannotListen, bind
from mujina.product import PRODUCT
from mujina.review.versions.operations import list_lost_heads
from mujina.settings import Settings

MAX_NAMED = 20
"""Repositories and files that are named."""
MIN_FREE_BYTES = 500_000_000
NO_KEY_YET = "none is needed before the first start"
EARLIEST_TIME = datetime(2025, 1, 1, tzinfo=UTC)
"""A correct clock never shows an earlier time: this release did not exist then."""

RESTORE = "Mount the disk, or restore them from a backup or from the copy of a secondary."

Check = Callable[[Settings], Awaitable[str]]
"""Returns a description of the healthy state, or raises a `CommandError` that says how to fix the problem."""


def doctor(
    *,
    fix: Annotated[
        bool,
        Parameter(
            negative="",
            help="First fix what is safe: rights of files, and what a killed upgrade, copy or restore left.",
        ),
    ] = False,
    instance: Instance = DEFAULT_INSTANCE,
) -> int:
    """Check for problems that keep this instance from working, and say how to fix them."""
    settings = instance.settings()
    if not settings.data.exists():
        raise CommandError(
            f"There is no data folder {settings.data}: give that of the instance with --data, or start one with "
            "`mujina serve`."
        )
    if fix:
        for done in fix_what_is_safe(settings):
            print(f"fixed    {done}")
    return asyncio.run(run_checks(_as_served(settings)))


def _as_served(settings: Settings) -> Settings:
    """The settings with the addresses of the running server, whose flags and environment may be others than ours."""
    record = read_record(settings.data)
    if record is None or not record.running:
        return settings
    ssh_port = settings.ssh_port if record.ssh_port is None else record.ssh_port
    return msgspec.structs.replace(settings, host=record.host, port=record.port, ssh_port=ssh_port)


async def run_checks(settings: Settings) -> int:
    """Print the outcome of each check; 1 if one has failed."""
    failed = 0
    for name, check in CHECKS.items():
        try:
            print(f"ok       {name}: {await check(settings)}")
        except (CommandError, DatabaseError, StorageNotMounted, UnreadableSecret, UnusableCertificate) as error:
            failed += 1
            print(f"PROBLEM  {name}: {error}")
    return 1 if failed else 0


async def _settings(settings: Settings) -> str:
    if unknown := unknown_variables():
        raise CommandError(f"{unknown[0]} is set but is not a setting: `mujina config show` lists the settings.")
    if settings.pages_tls_port is not None:
        check_site_certificate(settings)
    return f"served as {settings.url}" if settings.external_url or settings.port else "served at a port that is free"


async def _data(settings: Settings) -> str:
    make_data_folder(settings.data)
    if settings.data.stat().st_mode & 0o077:
        raise CommandError(
            f"{settings.data} is readable by other users of this machine: run `chmod 700 {settings.data}`."
        )
    free = shutil.disk_usage(settings.data).free
    if free < MIN_FREE_BYTES:
        raise CommandError(
            f"{settings.data} has {free // 1_000_000} MB free: free up space, or choose another folder with --data."
        )
    return f"{settings.data} is writable, with {free // 1_000_000_000} GB free"


async def _ports(settings: Settings) -> str:
    record = read_record(settings.data)
    own = {record.port, record.ssh_port} if record and record.running else set[int | None]()
    ports = [(settings.port, "--port"), (settings.ssh_port, "--ssh-port")]
    if not own:  # a running server has those of sites
        others = [(settings.pages_port, "--pages-port"), (settings.pages_tls_port, "the setting pages_tls_port")]
        ports += [(port, option) for port, option in others if port is not None]
    for port, option in ports:
        try:
            for listener in bind(settings.host, port, option=option):
                listener.close()
        except CannotListen as error:
            if port not in own:
                raise CommandError(str(error)) from None
    numbers = " and ".join(str(port) if port else "any" for port in (settings.port, settings.ssh_port))
    return f"{numbers} on {settings.host}, " + ("served by this instance" if settings.port in own else "free")


async def _database(settings: Settings) -> str:
    if clause := other_database(settings):
        raise CommandError(f"{clause}.")
    if settings.sqlite_file and not settings.sqlite_file.exists():
        return f"{settings.sqlite_file} will be created at the first start"
    async with opened(settings.database) as database:
        if (state := await schema_state(database)) != "current":
            raise CommandError(SCHEMA_ADVICE[state])
        await _check_event_times(database)
    return f"{ENGINE_NAMES[database.engine]} is reachable and has the schema of this version"


async def _instance_key(settings: Settings) -> str:
    if settings.sqlite_file and not settings.sqlite_file.exists():
        return NO_KEY_YET
    async with opened(settings.database) as database:
        if await schema_state(database) != "current":
            return "not looked at, because of the database"
        vault = await find_vault(database, settings)
    return NO_KEY_YET if vault is None else f"{vault.key_id}, which can read the secrets in the database"


async def _stored(settings: Settings) -> str:
    if not settings.data.exists() or (settings.sqlite_file and not settings.sqlite_file.exists()):
        return "nothing is stored yet"
    if find_secondary(PRODUCT, settings) is not None:
        return "on a secondary, `mujina geo status` shows what was copied"
    async with opened(settings.database) as database:
        database.product = PRODUCT
        if await schema_state(database) != "current":
            return "not looked at, because of the database"
        await check_places(database, settings)
        missing = [name async for name in list_missing(database, settings)]
        lost = [name async for name in list_lost_heads(database, settings.data)]
    if missing:
        raise CommandError(
            f"{len(missing)} repositories or files that the database knows are missing below {settings.data}: "
            f"{_named(missing)}. {RESTORE}"
        )
    if lost:
        raise CommandError(
            f"{len(lost)} open merge requests have commits that their repositories below {settings.data} lack: "
            f"{_named(lost)}. {RESTORE}"
        )
    return "the disk has every repository and file that the database knows"


def _named(names: list[str]) -> str:
    return ", ".join(names[:MAX_NAMED]) + (", …" if len(names) > MAX_NAMED else "")


async def _check_event_times(database: Database) -> None:
    async with database.reading() as tx:
        newest: str | None = await tx.value("SELECT created_at FROM events ORDER BY id DESC LIMIT 1")
    if newest and newest > clock.iso(datetime.now(UTC) + timedelta(minutes=1)):
        raise CommandError(f"its newest event is dated {newest}, in the future: set the clock of this machine.")


async def _git(_: Settings) -> str:
    return check_git()


async def _clock(_: Settings) -> str:
    if datetime.now(UTC) < EARLIEST_TIME:
        raise CommandError(f"it shows {clock.now()}, a time in the past: set it, and synchronize it with NTP.")
    return clock.now()


ENGINE_NAMES = {"sqlite": "SQLite", "postgres": "PostgreSQL"}
CHECKS: Mapping[str, Check] = {
    "settings": _settings,
    "data folder": _data,
    "database": _database,
    "instance key": _instance_key,
    "stored data": _stored,
    "ports": _ports,
    "git": _git,
    "clock": _clock,
}
