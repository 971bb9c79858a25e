"""Several processes as one: whoever dies is replaced, and counts are those of all."""

import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.harness.running import RunningServer
from tests.serve.wire import ask, eventually


@pytest.fixture
def server(tmp_path: Path, migrated_url: str) -> Iterator[RunningServer]:
    running = RunningServer(tmp_path / "data", migrated_url, ("--workers", "2"))
    running.start()
    yield running
    running.kill()


def children(pid: int) -> set[int]:
    return {int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()}


def test_a_worker_that_is_killed_is_replaced_and_no_client_is_turned_away(server: RunningServer):
    token = f"Private-Token: {server.token}"
    for victim in children(server.process.pid):
        os.kill(victim, signal.SIGKILL)
        for _ in range(10):
            assert ask(server.url, "/api/v4/user", token)[0] == 200
        eventually(lambda gone=victim: len(children(server.process.pid) - {gone}) == 3)
    assert server.stop() == 0


def test_a_worker_that_is_terminated_ends_its_requests_and_is_replaced(server: RunningServer):
    [victim, *_] = children(server.process.pid)
    os.kill(victim, signal.SIGTERM)
    eventually(lambda: len(children(server.process.pid) - {victim}) == 3)
    assert ask(server.url, "/-/health")[0] == 200


def test_jobs_yield_to_requests_and_no_process_outlives_its_supervisor(server: RunningServer):
    orphans = children(server.process.pid)
    assert len(orphans) == 3
    niceness = sorted(os.getpriority(os.PRIO_PROCESS, orphan) for orphan in orphans)
    own = os.getpriority(os.PRIO_PROCESS, 0)
    assert niceness == [own, own, min(own + 5, 19)], "jobs get the processor after requests"
    server.process.kill()
    server.process.wait()
    eventually(lambda: not any(Path(f"/proc/{orphan}").exists() for orphan in orphans))


def test_jobs_run_beside_the_workers_and_counts_are_those_of_all(server: RunningServer):
    token = f"Private-Token: {server.token}"
    for number in range(10):
        assert ask(server.url, f"/api/v4/projects?name=p{number}", token, method="POST")[0] == 201
        assert ask(server.url, f"/api/v4/projects/root%2Fp{number}", token, method="DELETE")[0] == 204
    # Each process tells the others within a second.
    eventually(lambda: metric(server, 'mujina_requests_total{method="POST",route="/projects",status="201"}') == 10)
    eventually(lambda: metric(server, 'mujina_request_seconds_count{method="POST",route="/projects"}') == 10)
    assert metric(server, "mujina_statements_total") > 20
    eventually(lambda: metric(server, 'mujina_jobs_total{outcome="done",task="projects.remove"}') == 10)


def metric(server: RunningServer, name: str) -> float:
    text = ask(server.url, "/-/metrics")[2]
    found = re.search(rf"^{re.escape(name)} (\S+)$", text, re.MULTILINE)
    return float(found[1]) if found else 0.0
