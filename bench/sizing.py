"""Measures what an instance with some projects needs, for the tables of docs/scaling.md.

`python -m bench.sizing 10 100`, and `python -m bench.sizing postgres 10 100` with a PostgreSQL beside it.
"""

import json
import re
import sys
import tempfile
import time
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg

from tests.harness.postgres_server import OwnServer
from tests.harness.running import RunningServer

ISSUES = 10
"""Issues of each project, beside a repository with one file."""


def main() -> None:
    """Print a row for each number of projects, with one process and with two."""
    arguments = sys.argv[1:]
    on_postgres = "postgres" in arguments
    for projects in (int(argument) for argument in arguments if argument != "postgres"):
        for workers in (1, 2):
            postgres = OwnServer() if on_postgres else None
            try:
                with tempfile.TemporaryDirectory() as folder:
                    print(_measure(Path(folder), projects, workers, postgres), flush=True)
            finally:
                if postgres is not None:
                    postgres.stop()


def _measure(folder: Path, projects: int, workers: int, postgres: OwnServer | None) -> str:
    data = folder / "data"
    url = f"sqlite:///{data}/mujina.db" if postgres is None else postgres.url
    server = RunningServer(data, url, ("--workers", str(workers)), forked=False)
    data.mkdir()
    server.start()
    main = server.process.pid
    pids = [main] if postgres is None else [main, postgres.process.pid]
    try:
        ready, before = [_memory(pid) for pid in pids], [_processor_seconds(pid) for pid in pids]
        connection = HTTPConnection(urlsplit(server.url).netloc, timeout=180)
        for number in range(projects):
            made = _post(connection, server, "/projects", name=f"project {number}", initialize_with_readme=True)
            for issue in range(ISSUES):
                _post(
                    connection, server, f"/projects/{made['id']}/issues", title=f"Issue {issue}", description="x" * 500
                )
        while not _is_idle(main):
            time.sleep(1)
        used = [(_processor_seconds(pid) - start) / projects * 1000 for pid, start in zip(pids, before, strict=True)]
        database = _used(data / "mujina.db") if postgres is None else _database_size(postgres)
        repositories = sum(map(_used, (data / "repositories").rglob("*")))
        return (
            f"| {projects:,} | {workers} | {_sum(ready)} MB | {_sum([_memory(pid) for pid in pids])} MB | {_sum(used)} ms | "
            f"{database:.1f} MB | {repositories:.1f} MB |"
        )
    finally:
        server.kill()


def _sum(of_each: list[float]) -> str:
    """The figures of Mujina, and of PostgreSQL if there is one, as a sum."""
    return " + ".join(f"{value:.0f}" for value in of_each)


def _database_size(postgres: OwnServer) -> float:
    with psycopg.connect(postgres.url) as connection:
        ((size,),) = connection.execute("SELECT pg_database_size(current_database())").fetchall()
    return size / 1e6


def _used(path: Path) -> float:
    """Megabytes on the disk, in whole blocks."""
    return path.lstat().st_blocks * 512 / 1e6


def _post(connection: HTTPConnection, server: RunningServer, path: str, **params: Any) -> Any:
    headers = {"Private-Token": server.token, "Content-Type": "application/json"}
    connection.request("POST", f"/api/v4{path}", json.dumps(params), headers)
    answer = connection.getresponse()
    body = answer.read()
    if answer.status != 201:
        raise SystemExit(f"{path} was answered with {answer.status}: {body.decode()}")
    return json.loads(body)


def _is_idle(pid: int) -> bool:
    """Whether it uses no processor for a second: its jobs are done."""
    before = _processor_seconds(pid)
    time.sleep(1)
    return _processor_seconds(pid) - before < 0.05


def _processes(pid: int) -> list[Path]:
    """The folders of its processes in /proc; git is among its children only while it runs."""
    found, waiting = list[Path](), [pid]
    while waiting:
        pid = waiting.pop()
        found.append(Path(f"/proc/{pid}"))
        waiting += map(int, (found[-1] / f"task/{pid}/children").read_text().split())
    return found


def _memory(pid: int) -> float:
    """Megabytes of all processes; what they share counts once (PSS)."""
    rollups = [(each / "smaps_rollup").read_text() for each in _processes(pid)]
    return sum(int(re.findall(r"^Pss:\s+(\d+) kB$", text, re.MULTILINE)[0]) for text in rollups) / 1024


def _processor_seconds(pid: int) -> float:
    """What all its processes and the children that have ended used, in user and kernel mode."""
    fields = [(each / "stat").read_text().rpartition(")")[2].split() for each in _processes(pid)]
    return sum(int(ticks) for each in fields for ticks in each[11:15]) / 100


if __name__ == "__main__":
    main()
