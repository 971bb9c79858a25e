"""A log or a disk that cannot be written to ends no process and fails no request; what is lost is counted."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.harness.running import ROOT, TOKEN
from tests.serve.wire import ask, eventually


@pytest.fixture(scope="module", params=["1", "2"], ids=["one process", "two workers"])
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory):
    """A server whose standard error is a full device; its URL, process and data folder."""
    environment = os.environ | {"MUJINA_ROOT_TOKEN": TOKEN, "MUJINA_SSH_PORT": "0", "MUJINA_LOG_REQUESTS": "true"}
    data = tmp_path_factory.mktemp("unwritable") / "data"
    flags = ("--data", str(data), "--port", "0", "--workers", request.param)
    with Path("/dev/full").open("w") as full:
        process = subprocess.Popen(
            [sys.executable, "-m", "mujina", "serve", *flags],
            cwd=ROOT,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=full,
            start_new_session=True,
        )
    assert process.stdout is not None
    url = ""
    while not url and (line := process.stdout.readline().decode()):
        url = (re.findall(r"http://127\.0\.0\.1:\d+", line) or [""])[0]
    yield url, process, data
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    process.stdout.close()


def dropped(url: str) -> float:
    found = re.search(r"^mujina_dropped_log_lines_total (\S+)$", ask(url, "/-/metrics")[2], re.MULTILINE)
    return float(found[1]) if found else 0.0


def children(process: subprocess.Popen[bytes]) -> list[str]:
    return Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()


def test_requests_are_answered_and_lost_lines_counted(server):
    url, process, _ = server
    for _ in range(5):
        assert ask(url, "/api/v4/user", f"Private-Token: {TOKEN}")[0] == 200
    eventually(lambda: dropped(url) >= 5)
    assert process.poll() is None


def test_the_supervisor_replaces_a_worker_though_it_cannot_say_so(server):
    url, process, _ = server
    before = children(process)
    for child in before[:1]:
        os.kill(int(child), signal.SIGKILL)
    for _ in range(10):
        assert ask(url, "/api/v4/user", f"Private-Token: {TOKEN}")[0] == 200
    eventually(lambda: not {*before[:1]} & {*children(process)} and len(children(process)) == len(before))
    assert process.poll() is None


def test_no_file_of_the_data_folder_is_mapped_for_writing_but_the_databases(server):
    """On a full disk, writing to a mapped file whose space is not reserved kills the process; SQLite reserves it."""
    url, process, data = server
    assert ask(url, "/api/v4/user", f"Private-Token: {TOKEN}")[0] == 200
    for pid in (str(process.pid), *children(process)):
        maps = Path(f"/proc/{pid}/maps").read_text().splitlines()
        shared = [line for line in maps if " rw-s " in line and str(data) in line]
        assert [line for line in shared if not line.endswith("-shm")] == []
