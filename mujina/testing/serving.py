"""`mujina serve --testing`: a server for tests, on this machine only, whose state tests reset.

A child makes the tables (0.05 s of processor on SQLite, 0.7 s on PostgreSQL) while this process imports what serves (0.4 s): in
a thread, SQLite took the interpreter's lock from the imports 1,600 times, and both together took 0.2 s longer.
"""

import asyncio
import ctypes
import os
import shutil
import signal
import stat
import tempfile
from collections.abc import Generator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from importlib import import_module
from ipaddress import ip_address
from pathlib import Path
from secrets import token_hex
from typing import Final

import msgspec

from mujina.adapters.file_locks import locked_folder
from mujina.adapters.mail import STORED
from mujina.cli.errors import CommandError, run_command
from mujina.cli.prerequisites import TESTING_MARKER, checked_settings, is_for_tests, make_data_folder
from mujina.migrations.upgrade import migrate
from mujina.processes.lifecycle import stop_signals
from mujina.processes.supervisor import start_in_child
from mujina.settings import Settings

IN_MEMORY: Final = Path("/dev/shm")  # noqa: S108 - the folder below it is a new one
NEW_FOLDER: Final = "mujina-testing-"
_END_WITH_PARENT: Final = 1
"""Linux calls it PR_SET_PDEATHSIG."""


def serve_with(*, config: str | None = None, ready_file: str | None = None, stop_with_stdin: bool, **flags: str) -> int:
    """Serve with these flags."""
    return serve_for_tests(flags, config, Path(ready_file) if ready_file else None, stop_with_stdin=stop_with_stdin)


def serve_for_tests(
    flags: Mapping[str, str | None], config: str | None, ready_file: Path | None, *, stop_with_stdin: bool
) -> int:
    """Serve until interrupted; a folder that was not named is removed at the end."""
    effective = checked_settings(flags, config)
    _check(effective.settings)
    parent_fd = _standard_input() if stop_with_stdin else None
    temporary = effective.sources["data"] == "default"
    data = _new_folder() if temporary else effective.settings.data
    anew = not is_for_tests(data)
    _mark(data)

    def remove() -> None:
        if temporary:
            shutil.rmtree(data, ignore_errors=True)

    with _only_server(data):
        settings = _settings(effective.settings, data)
        if effective.settings.root_token is None:
            print(f"Testing mode: root's token is {settings.root_token}", flush=True)
        preparation = None
        try:
            for number in stop_signals():
                signal.signal(number, signal.default_int_handler)  # until the server is ready, each is an interrupt
            if settings.sqlite_file is None:
                import_module("mujina.testing.states.postgres").lock(settings.database)
            preparation = start_in_child(lambda: run_command(lambda: _prepare_alone(settings, anew=anew)))
            return import_module("mujina.testing.server").serve(settings, ready_file, preparation, parent_fd, remove)
        finally:
            if preparation is not None:
                _end(preparation)
            remove()


def _prepare_alone(settings: Settings, *, anew: bool) -> None:
    """Prepare the database in this child, which would keep the locks of its parent: it ends with that."""
    with suppress(AttributeError):  # other systems have no such call
        ctypes.CDLL(None).prctl(_END_WITH_PARENT, signal.SIGKILL)
    asyncio.run(_prepare(settings, anew=anew))


def _end(child: int) -> None:
    """The child has ended: it is killed if this process was interrupted before."""
    with suppress(ChildProcessError):
        os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


async def _prepare(settings: Settings, *, anew: bool) -> None:
    """The database is one of this mode, and has the schema of this version."""
    if settings.sqlite_file is None:
        await import_module("mujina.testing.states.postgres").prepare(settings.database, anew=anew)
    await migrate(settings.database)


def _check(settings: Settings) -> None:
    if not _is_loopback(settings.host):
        raise CommandError(f"--testing listens on this machine only: leave out --host, which is {settings.host}.")
    if settings.database_url is not None and settings.sqlite_file is not None:
        raise CommandError("--testing keeps its SQLite database in its data folder: leave out --database-url.")
    if settings.workers != 1:
        raise CommandError("--testing has one process: leave out --workers.")


def _standard_input() -> int:
    """A descriptor of its own; a file, or a device like /dev/null, has no end that could be waited for."""
    with suppress(OSError):
        mode = os.fstat(0).st_mode
        if stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or os.isatty(0):
            return os.dup(0)
    raise CommandError("--stop-with-stdin needs a pipe as standard input, which ends with its writer: or leave it out.")


def _settings(settings: Settings, data: Path) -> Settings:
    """The settings of the mode: those that were given, as far as tests may choose them."""
    return msgspec.structs.replace(
        settings, data=data.absolute(), storage_url=None, smtp_url=STORED, database_pooler_url=None,
        external_url=None, password_kilobytes=64, root_token=_root_token(settings, data), grace_seconds=1,
        jobs="background",
        outbound_allow=(*settings.outbound_allow, "127.0.0.0/8", "::1", "localhost"),
    )  # fmt: skip


def _root_token(settings: Settings, data: Path) -> str:
    """The token of root, which the marker of the folder repeats for its next start: the database has a digest alone."""
    marker = data / TESTING_MARKER
    stored = marker.read_text()
    if not stored:
        marker.write_text(token := settings.root_token or token_hex(20))
        return token
    if settings.root_token not in (None, stored):
        raise CommandError(
            f"Root of the folder {data} has another token: leave out MUJINA_ROOT_TOKEN, or choose another folder."
        )
    return stored


@contextmanager
def _only_server(data: Path) -> Generator[None]:
    """No other server serves this folder meanwhile: each would restore states of its own."""
    with ExitStack() as locked:
        try:
            locked.enter_context(locked_folder(data))
        except BlockingIOError:
            raise CommandError(f"Another server uses the folder {data}: stop it, or choose another folder.") from None
        yield


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
    make_data_folder(data)
    (data / TESTING_MARKER).touch(mode=0o600)
