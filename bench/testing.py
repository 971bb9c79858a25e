"""The testing mode: its start, a reset after a test, and suites of pytest from the first test to the five hundredth.

The suites run where a user has them: in a virtual environment into which the package was installed.
"""

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

from bench.table import BenchRun
from mujina.testing.client import MujinaProcess
from mujina.testing.process import ServerProcess

ROOT = Path(__file__).parents[1]
STARTS = 5
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
    assert mujina.request("POST", "/projects", name="x", initialize_with_readme=True)["id"] == 1
    print("\\n{RAN}", flush=True)


@pytest.mark.parametrize("number", range({TESTS}))
def test_an_issue(mujina, mujina_world, number):
    mujina_world({WORLD!r})
    assert mujina.request("POST", "/projects/1/issues", title="x")["iid"] == 11
"""
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}


def measured(bench: BenchRun) -> Iterator[str]:
    url = None if bench.engine == "SQLite" else bench.new_database("testing")
    bench.print_step("testing mode")
    seconds = statistics.median([_start(url) for _ in range(1 + STARTS)][1:])  # the first one may compile modules
    yield bench.stated("testing mode: start", "≤ 1.2 s", f"{seconds:.2f} s", within=seconds <= 1.2)
    reset = statistics.median(_resets(url))
    yield bench.stated("testing mode: reset", "≤ 20 ms", f"{reset * 1000:.1f} ms", within=reset <= 0.02)
    pytest = [*_installed(bench), *(["--mujina-database-url", url] if url else [])]
    first = statistics.median([_suite([*pytest, "-k", "first"])[0] for _ in range(1 + STARTS)][1:])
    yield bench.stated("testing mode: first test of pytest", "≤ 1.5 s", f"{first:.2f} s", within=first <= 1.5)
    first, end = _suite(pytest)
    all_tests = end - first
    what = f"testing mode: {TESTS} tests, each in a world of its own"
    yield bench.stated(what, "≤ 25 s", f"{all_tests:.1f} s", within=all_tests <= 25)


def _start(url: str | None) -> float:
    """The seconds until a server is ready."""
    started = time.perf_counter()
    server = MujinaProcess(ServerProcess(database_url=url))
    seconds = time.perf_counter() - started
    server.stop()
    return seconds


def _resets(url: str | None) -> Iterator[float]:
    server = MujinaProcess(ServerProcess(database_url=url))
    try:
        server.seed(WORLD)
        for _ in range(RESETS):
            server.request("POST", "/projects/1/issues", title="x")
            started = time.perf_counter()
            server.reset()
            yield time.perf_counter() - started
    finally:
        server.stop()


def _installed(bench: BenchRun) -> list[str]:
    """The command that runs the suite in a new virtual environment, which both engines use."""
    folder = bench.folder / "installed"
    if not folder.exists():
        bench.print_step("installing the package")
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        locked = ["--only-binary", ":all:", "--require-hashes", "--requirement", "requirements.lock"]
        package = ["--no-build-isolation", "--no-deps", "."]
        for what in (locked, package, [f"pytest=={version('pytest')}"]):
            pip = [folder / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
            subprocess.run([*pip, *what], cwd=ROOT, env=ENVIRONMENT, check=True)
        (folder / "test_suite.py").write_text(SUITE)
    return [str(folder / "bin" / "pytest"), "-q", "-s", "--rootdir", str(folder), str(folder / "test_suite.py")]


def _suite(command: list[str]) -> tuple[float, float]:
    """The seconds from the start of pytest until its first test has run, and to its end."""
    started, first, output = time.perf_counter(), None, list[str]()
    with subprocess.Popen(command, env=ENVIRONMENT, stdout=subprocess.PIPE, text=True) as suite:
        for line in suite.stdout or ():
            output.append(line)
            if line.strip() == RAN:
                first = time.perf_counter() - started
    if suite.returncode or first is None:
        raise RuntimeError("".join(output))
    return first, time.perf_counter() - started
