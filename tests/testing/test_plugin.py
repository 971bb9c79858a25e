"""The fixtures for pytest, as a suite elsewhere uses them."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

from tests.harness.running import ROOT

SUITE = """
import pytest

WORLD = {"users": [{"username": "ann"}], "projects": [{"path": "ann/app", "issues": [{"title": "It rains"}]}]}


@pytest.mark.parametrize("number", range(3))
def test_ids_start_over(mujina, number):
    assert mujina.request("POST", "/projects", name="x")["id"] == 1
    mujina.clock.set("2030-01-01T00:00:00Z")
    mujina.fail(status=500)


def test_a_world(mujina, mujina_world):
    world = mujina_world(WORLD)
    ann = world.users["ann"]
    assert mujina.request("GET", "/user", token=ann.token)["id"] == ann.id
    assert world.projects["ann/app"].issues == {"It rains": 1}


def test_a_world_from_a_file(mujina, mujina_world, tmp_path):
    file = tmp_path / "world.yaml"
    file.write_text("users: [{username: bob}]")
    assert list(mujina_world(file).users) == ["bob"]


def test_that_fails(mujina):
    mujina.request("GET", "/version")
    assert False


def test_that_fails_with_the_server(mujina_server):
    mujina_server.request("GET", "/metadata")
    assert False
"""
WAITING = """
def test_that_waits(mujina_server, request):
    print(mujina_server.process.pid, flush=True)
    input()
"""


def _pytest(folder: Path, suite: str, *arguments: str) -> list[str]:
    (folder / "test_suite.py").write_text(suite)
    loaded = ["-p", "mujina.testing.plugin", "-p", "no:cacheprovider", "-p", "no:schemathesis"]
    return [sys.executable, "-m", "pytest", "-q", *loaded, "--rootdir", str(folder), *arguments, str(folder)]


def _environment(**variables: str) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", **variables}


def test_a_suite_gets_a_server_that_is_reset_for_each_test(tmp_path: Path):
    command = _pytest(tmp_path, SUITE, "--mujina-keep")
    result = subprocess.run(command, env=_environment(), capture_output=True, text=True, check=False)
    assert "2 failed, 5 passed" in result.stdout, result.stdout + result.stderr
    assert result.stdout.count("Log of the mujina server") == 2
    for path in ("version", "metadata"):
        assert result.stdout.count(f'"path":"/api/v4/{path}"') == 1
    kept = re.search(r"mujina kept its data in (\S+)", result.stdout)
    assert kept is not None
    assert (Path(kept[1]) / "mujina.db").exists()


def test_a_suite_that_is_killed_leaves_no_process_and_no_folder(tmp_path: Path):
    running = subprocess.Popen(
        _pytest(tmp_path, WAITING, "-s"), env=_environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    pid = next(line.strip() for line in running.stdout or () if line.strip().isdigit())
    files = [file.readlink() for file in Path(f"/proc/{pid}/fd").iterdir()]
    folder = next(file.parent for file in files if file.name == "mujina.db")
    running.send_signal(signal.SIGKILL)
    running.communicate()
    while Path(f"/proc/{pid}").exists() and "zombie" not in Path(f"/proc/{pid}/status").read_text():
        time.sleep(0.02)
    assert not folder.exists()


def test_the_plugin_imports_nothing_of_the_server():
    program = "import sys, mujina.testing.plugin; print(*(name for name in sys.modules if name.startswith('mujina')))"
    output = subprocess.run(
        [sys.executable, "-c", program], env=_environment(), capture_output=True, text=True, check=True
    ).stdout
    assert set(output.split()) == {"mujina", "mujina.testing", "mujina.testing.plugin"}


PARTLY = """
import sys


def test_without_a_server():
    assert "mujina.testing.process" not in sys.modules


def test_with_a_server(mujina):
    raise AssertionError
"""


def test_no_server_is_started_for_tests_that_do_not_use_it(tmp_path: Path):
    command = _pytest(tmp_path, PARTLY, "-k", "without")
    result = subprocess.run(command, env=_environment(), capture_output=True, text=True, check=False)
    assert "1 passed, 1 deselected" in result.stdout, result.stdout + result.stderr


def test_a_suite_on_postgresql(postgres, tmp_path: Path):
    url = postgres.create()
    command = _pytest(tmp_path, SUITE, "--mujina-database-url", url, "-k", "not fails")
    result = subprocess.run(command, env=_environment(), capture_output=True, text=True, check=False)
    postgres.drop(url)
    assert "5 passed" in result.stdout, result.stdout + result.stderr


WORKERS = """
import pytest


@pytest.mark.parametrize("number", range(6))
def test_a_worker_has_its_own_server(mujina, number, worker_id):
    assert mujina.request("POST", "/projects", name="x")["id"] == 1
    with open(worker_id, "a") as file:
        print(mujina.url, file=file)
"""


def test_each_worker_of_xdist_has_its_own_server(tmp_path: Path):
    command = _pytest(tmp_path, WORKERS, "-p", "xdist", "-n", "2", "--mujina-keep")
    result = subprocess.run(command, cwd=tmp_path, env=_environment(), capture_output=True, text=True, check=False)
    assert "6 passed" in result.stdout, result.stdout + result.stderr
    first, second = ({*(tmp_path / worker).read_text().split()} for worker in ("gw0", "gw1"))
    assert len(first) == len(second) == 1
    assert first != second
    kept = re.findall(r"mujina kept its data in (\S+)", result.stdout)
    assert [(Path(folder) / "mujina.db").exists() for folder in kept] == [True, True]


def test_several_servers_do_not_share_a_database(tmp_path: Path):
    command = _pytest(tmp_path, SUITE, "-p", "xdist", "-n", "2", "--mujina-database-url", "postgresql://db/tests")
    result = subprocess.run(command, env=_environment(), capture_output=True, text=True, check=False)
    assert "put {worker} into the name of the database" in result.stdout + result.stderr
