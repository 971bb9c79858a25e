"""`mujina serve --testing`: a server for tests, on this machine only, whose state tests reset."""

import os
import shutil
import socket
import tempfile
from collections.abc import Callable, Mapping
from importlib import import_module
from ipaddress import ip_address
from pathlib import Path
from secrets import token_hex
from typing import Final

import msgspec

from mujina import app
from mujina.adapters.mail import NO_SERVER
from mujina.cli.commands import serving
from mujina.cli.errors import CommandError
from mujina.cli.prerequisites import TESTING_MARKER, checked_settings, is_for_tests
from mujina.kernel.product import Product
from mujina.kernel.services import Service
from mujina.processes.http_server import HttpServer
from mujina.product import PRODUCT
from mujina.settings import Settings
from mujina.testing.manifest import CHAPTER
from mujina.web.frame import frame

IN_MEMORY: Final = Path("/dev/shm")  # noqa: S108 - the folder below it is a new one
NEW_FOLDER: Final = "mujina-testing-"


def serve_with(*, config: str | None = None, ready_file: str | None = None, stop_with_stdin: bool, **flags: str) -> int:
    """Serve with these flags."""
    return serve_for_tests(flags, config, Path(ready_file) if ready_file else None, stop_with_stdin=stop_with_stdin)


def serve_for_tests(
    flags: Mapping[str, str | None], config: str | None, ready_file: Path | None, *, stop_with_stdin: bool
) -> int:
    """Serve until interrupted; a folder that was not named is removed at the end."""
    effective = checked_settings(flags, config)
    _check(effective.settings)
    temporary = effective.sources["data"] == "default"
    data = _new_folder() if temporary else effective.settings.data
    anew = not is_for_tests(data)
    settings = _settings(effective.settings, data)
    if effective.settings.root_token is None:
        print(f"Testing mode: root's token is {settings.root_token}", flush=True)
    frame.BROADCAST_SECONDS = -1  # they are read anew after each reset

    async def run(
        settings: Settings, listener: socket.socket, ssh: socket.socket | None, announce: Callable[[], None]
    ) -> None:
        try:
            if settings.sqlite_file is None:
                await import_module("mujina.testing.states.postgres").prepare(settings.database, anew=anew)
            await _run(settings, listener, ssh, announce, os.dup(0) if stop_with_stdin else None)
        finally:  # the process ends here
            _remove(data, temporary=temporary)

    try:
        return serving.serve(settings, ready_file, run)
    finally:
        _remove(data, temporary=temporary)


def _check(settings: Settings) -> None:
    if not _is_loopback(settings.host):
        raise CommandError(f"--testing listens on this machine only: leave out --host, which is {settings.host}.")
    if settings.database_url is not None and settings.sqlite_file is not None:
        raise CommandError("--testing keeps its SQLite database in its data folder: leave out --database-url.")
    if settings.workers != 1:
        raise CommandError("--testing has one process: leave out --workers.")


def _settings(settings: Settings, data: Path) -> Settings:
    """The settings of the mode: those that were given, as far as tests may choose them."""
    _mark(data)
    return msgspec.structs.replace(
        settings, data=data.absolute(), storage_url=None, smtp_url=NO_SERVER, database_pooler_url=None,
        external_url=None, password_kilobytes=64, root_token=settings.root_token or token_hex(20), grace_seconds=1, jobs="background",
        outbound_allow=(*settings.outbound_allow, "127.0.0.0/8", "::1", "localhost"),
    )  # fmt: skip


def _remove(data: Path, *, temporary: bool) -> None:
    if temporary:
        shutil.rmtree(data, ignore_errors=True)


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _new_folder() -> Path:
    """A folder in memory where there is one."""
    place = IN_MEMORY if os.access(IN_MEMORY, os.W_OK) else None
    return Path(tempfile.mkdtemp(prefix=NEW_FOLDER, dir=place))


def _mark(data: Path) -> None:
    """Mark a new folder as one of this mode; any other that is not marked is refused."""
    if is_for_tests(data):
        return
    if data.is_dir() and any(data.iterdir()):
        raise CommandError(f"The folder {data} was not made by --testing, which deletes what is in it: choose another.")
    data.mkdir(mode=0o700, parents=True, exist_ok=True)
    (data / TESTING_MARKER).touch()


async def _run(
    settings: Settings,
    listener: socket.socket,
    ssh: socket.socket | None,
    announce: Callable[[], None],
    lifeline: int | None,
) -> None:
    """Run HTTP and SSH in this process. Jobs run within requests, and no entity is stored for the next reader."""
    async with serving.upgraded_services(settings, Product([*PRODUCT.chapters, CHAPTER])) as services:
        await serving.prepare_instance(services)
        running: list[Service] = [HttpServer(app.build(services), listener, settings)]
        if ssh is not None:
            running.append(app.ssh_server(services, ssh))
        await serving.run(services, running, announce, lifeline)
