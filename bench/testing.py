"""The testing mode: its start, a reset after a test, and suites of pytest from the first test to the five hundredth."""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from bench.table import BenchRun
from mujina.testing.client import MujinaProcess
from mujina.testing.process import ServerProcess

ROOT = Path(__file__).parents[1]
RESETS = 100
TESTS = 500
RAN = "the first test has run"
WORLD = {
    "users": [{"username": "ann"}, {"username": "bob"}],
    "groups": [{"path": "team", "members": {"ann": "owner"}}],
    "projects": [
        {"path": "team/app", "files": {"README.md": "# App"}, "issues": [{"title": f"Issue {n}"} for n in range(10)]},
        {"path": "ann/notes", "files": {"README.md": "# Notes"}},
    ],
}
SUITE = f"""
import pytest


def test_first(mujina):
    assert mujina.request("GET", "/user")["id"] == 1
    print("\\n{RAN}", flush=True)


@pytest.mark.parametrize("number", range({TESTS}))
def test_an_issue(mujina, mujina_world, number):
    mujina_world({WORLD!r})
    assert mujina.request("POST", "/projects/1/issues", title="x")["iid"] == 11
"""


def measured(bench: BenchRun) -> Iterator[str]:
    url = None if bench.engine == "SQLite" else bench.new_database("testing")
    bench.print_step("testing mode")
    started = time.perf_counter()
    server = MujinaProcess(ServerProcess(database_url=url))
    seconds = time.perf_counter() - started
    yield bench.stated("testing mode: start", "≤ 1.2 s", f"{seconds:.2f} s", within=seconds <= 1.2)
    try:
        reset = statistics.median(_resets(server))
        yield bench.stated("testing mode: reset", "≤ 20 ms", f"{reset * 1000:.1f} ms", within=reset <= 0.02)
    finally:
        server.stop()
    first, end = _suite(database_url=url)
    yield bench.stated("testing mode: first test of pytest", "≤ 1.5 s", f"{first:.2f} s", within=first <= 1.5)
    all_tests = end - first
    what = f"testing mode: {TESTS} tests, each in a world of its own"
    yield bench.stated(what, "≤ 25 s", f"{all_tests:.1f} s", within=all_tests <= 25)


def _resets(server: MujinaProcess) -> Iterator[float]:
    server.seed(WORLD)
    for _ in range(RESETS):
        server.request("POST", "/projects/1/issues", title="x")
        started = time.perf_counter()
        server.reset()
        yield time.perf_counter() - started


def _suite(*, database_url: str | None) -> tuple[float, float]:
    """The seconds from the start of pytest until its first test has run, and to its end."""
    arguments = ["--mujina-database-url", database_url] if database_url else []
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "test_suite.py").write_text(SUITE)
        loaded = ["-s", "-p", "mujina.testing.plugin", "-p", "no:cacheprovider", "--rootdir", folder]
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
        started = time.perf_counter()
        command = [sys.executable, "-m", "pytest", "-q", *loaded, *arguments, folder]
        with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as suite:
            lines = suite.stdout or ()
            first = next(time.perf_counter() - started for line in lines if line.strip() == RAN)
            output = "".join(lines)
        if suite.returncode:
            raise RuntimeError(output)
        return first, time.perf_counter() - started
