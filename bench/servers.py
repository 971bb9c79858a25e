"""The measured programs, each in its own process, and their resource usage."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpcore2
import psycopg

from mujina.kernel.secrets import new_key

KEY = new_key()
"""One key for the whole run: a database belongs to one key, regardless of the server's folder."""
TICK = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Program:
    """A source tree with a `mujina` package, and the Python that runs it."""

    python: str
    tree: Path

    @property
    def environment(self) -> dict[str, str]:
        """An editable install of another tree comes after PYTHONPATH."""
        return {"PYTHONPATH": str(self.tree)}


THIS = Program(sys.executable, Path(__file__).parents[1])


@dataclass
class Server:
    name: str
    process: subprocess.Popen[bytes]
    port: int
    started: float
    """Seconds from the command to the first answer."""
    database: int | None = None
    """The process of its PostgreSQL."""

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.port}{path}"

    def cpu(self) -> float:
        """CPU seconds used so far by its processes and by children that have exited."""
        return cpu_of(self.process.pid)

    def database_cpu(self) -> float:
        """CPU seconds used so far by all processes of its PostgreSQL; zero on SQLite, which has none."""
        return 0.0 if self.database is None else cpu_of(self.database)

    def memory(self) -> float:
        """Memory of all its processes in megabytes; shared pages count in proportion (PSS)."""
        return sum(_proportional(pid) for pid in _family(self.process.pid)) / 1024

    def wait_until_idle(self) -> None:
        """Return when the server is idle."""
        before = -1.0
        while (now := self.cpu()) - before > 0.02:
            before = now
            time.sleep(0.3)


def cpu_of(root: int) -> float:
    """CPU seconds used so far by a process, its descendants and children that have exited."""
    return sum(sum(int(ticks) for ticks in _stat(Path(f"/proc/{pid}"))[11:15]) for pid in _family(root)) / TICK


def _family(root: int) -> list[int]:
    """A process and all its descendants."""
    stats = {int(p.name): _stat(p) for p in Path("/proc").iterdir() if p.name.isdigit()}
    parents = {pid: stat[1] for pid, stat in stats.items() if stat}
    family = [root]
    for pid in family:
        family += [child for child, parent in parents.items() if int(parent) == pid]
    return family


def _stat(process: Path) -> list[str]:
    try:
        return (process / "stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return []


def _proportional(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except (FileNotFoundError, ProcessLookupError):  # it has exited
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("Pss:")), 0)


@contextmanager
def mujina(
    data: Path, database_url: str, workers: int = 1, *,
    program: Program = THIS, environment: dict[str, str] | None = None,
) -> Generator[Server]:  # fmt: skip
    """Run `mujina serve` as a user would, with one worker by default."""
    port = free_port()
    command = [program.python, "-m", "mujina", "serve", "--data", str(data), "--port", str(port), "--ssh-port", "0",
               "--database-url", database_url, "--workers", str(workers)]  # fmt: skip
    settings = {"MUJINA_INSTANCE_KEY": KEY, **program.environment, **(environment or {})}
    with running("mujina", command, port, "/-/health", settings, folder=program.tree) as server:
        server.database = _postmaster(database_url)
        yield server


@contextmanager
def floor(database_url: str) -> Generator[Server]:
    """Run the floor program on the same HTTP server, with one worker."""
    port = free_port()
    command = [sys.executable, "-m", "granian", "--interface", "asgi", "--port", str(port), "--no-ws", "--log-level", "error",
               "bench.floor:app"]  # fmt: skip
    with running("floor", command, port, "/issues/1", {"FLOOR_DATABASE_URL": database_url}) as server:
        server.database = _postmaster(database_url)
        yield server


def _postmaster(database_url: str) -> int | None:
    if database_url.startswith("sqlite"):
        return None
    with psycopg.connect(database_url) as connection:
        [folder] = connection.execute("SHOW data_directory").fetchone() or [""]
    return int((Path(folder) / "postmaster.pid").read_text().split()[0])


def free_port() -> int:
    """A port that is currently free."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


@contextmanager
def running(
    name: str, command: list[str], port: int, probe: str, environment: dict[str, str] | None = None,
    *, folder: Path | None = None,
) -> Generator[Server]:  # fmt: skip
    """Run a server; the block starts with its first response."""
    began = time.perf_counter()
    process = subprocess.Popen(
        command, cwd=folder, env=os.environ | (environment or {}), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        _wait(process, port, probe)
        yield Server(name, process, port, time.perf_counter() - began)
    finally:
        process.terminate()
        process.wait(30)


def _wait(process: subprocess.Popen[bytes], port: int, probe: str) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise SystemExit(f"a server ended with {process.returncode} before it responded")
        try:
            httpcore2.request("GET", f"http://127.0.0.1:{port}{probe}")
            return
        except httpcore2.NetworkError:
            time.sleep(0.01)
    raise SystemExit("a server did not respond within a minute")
