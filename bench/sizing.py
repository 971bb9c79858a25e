"""Measures what an instance with some projects needs, for the table of docs/scaling.md: `python -m bench.sizing 10 100`."""

import json
import re
import sys
import tempfile
import time
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tests.harness.running import RunningServer

ISSUES = 10
"""Issues of each project, beside a repository with one file."""


def main() -> None:
    """Print a row for each number of projects, with one process and with two."""
    for projects in map(int, sys.argv[1:]):
        for workers in (1, 2):
            with tempfile.TemporaryDirectory() as folder:
                print(_measure(Path(folder), projects, workers), flush=True)


def _measure(folder: Path, projects: int, workers: int) -> str:
    data = folder / "data"
    server = RunningServer(data, f"sqlite:///{data}/mujina.db", ("--workers", str(workers)), forked=False)
    data.mkdir()
    server.start()
    try:
        ready, before = _memory(server), _processor_seconds(server)
        connection = HTTPConnection(urlsplit(server.url).netloc, timeout=180)
        for number in range(projects):
            made = _post(connection, server, "/projects", name=f"project {number}", initialize_with_readme=True)
            for issue in range(ISSUES):
                _post(
                    connection, server, f"/projects/{made['id']}/issues", title=f"Issue {issue}", description="x" * 500
                )
        while not _is_idle(server):
            time.sleep(1)
        processor = (_processor_seconds(server) - before) / projects
        database, repositories = ((data / name) for name in ("mujina.db", "repositories"))
        sizes = _used(database), sum(map(_used, repositories.rglob("*")))
        return (
            f"| {projects:,} | {workers} | {ready:.0f} MB | {_memory(server):.0f} MB | {processor * 1000:.0f} ms | "
            f"{sizes[0]:.1f} MB | {sizes[1]:.1f} MB |"
        )
    finally:
        server.kill()


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


def _is_idle(server: RunningServer) -> bool:
    """Whether it uses no processor for a second: its jobs are done."""
    before = _processor_seconds(server)
    time.sleep(1)
    return _processor_seconds(server) - before < 0.05


def _processes(server: RunningServer) -> list[Path]:
    """The folders of its processes in /proc; git is among its children only while it runs."""
    found, waiting = list[Path](), [server.process.pid]
    while waiting:
        pid = waiting.pop()
        found.append(Path(f"/proc/{pid}"))
        waiting += map(int, (found[-1] / f"task/{pid}/children").read_text().split())
    return found


def _memory(server: RunningServer) -> float:
    """Megabytes of all processes; what they share counts once (PSS)."""
    rollups = [(each / "smaps_rollup").read_text() for each in _processes(server)]
    return sum(int(re.findall(r"^Pss:\s+(\d+) kB$", text, re.MULTILINE)[0]) for text in rollups) / 1024


def _processor_seconds(server: RunningServer) -> float:
    """What all its processes and the children that have ended used, in user and kernel mode."""
    fields = [(each / "stat").read_text().rpartition(")")[2].split() for each in _processes(server)]
    return sum(int(ticks) for each in fields for ticks in each[11:15]) / 100


if __name__ == "__main__":
    main()
