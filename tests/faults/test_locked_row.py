"""A row that something else keeps locked on PostgreSQL delays those who change it, for a bounded time, and nobody else."""

import json
import time
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

from tests.harness.running import RunningServer
from tests.serve.wire import eventually

EDITS = 24
LOCK_SECONDS = 5
"""Requests that wait for the row, directly or not, wait for longer than a busy machine takes to answer the others."""


@pytest.fixture
def engine():
    return "postgres"


def ask(server, method, path, **body):
    """The status, the headers, the body and the seconds of an answer."""
    request = urllib.request.Request(
        f"{server.url}/api/v4{path}",
        method=method,
        data=json.dumps(body).encode() if body else None,
        headers={"Private-Token": server.token, "Content-Type": "application/json"},
    )
    started = time.monotonic()
    try:
        answer = urllib.request.urlopen(request, timeout=60)
    except urllib.error.HTTPError as error:
        answer = error
    with answer:
        return answer.status, answer.headers, json.loads(answer.read()), time.monotonic() - started


@pytest.fixture
def server(migrated_url, tmp_path):
    """Waits so long for a lock."""
    running = RunningServer(tmp_path / "data", f"{migrated_url}&options=-c%20lock_timeout%3D{LOCK_SECONDS}s")
    running.start()
    yield running
    running.kill()


def count_waiting(connection):
    """The sessions of this database that wait for a lock."""
    connection.execute("SELECT pg_stat_clear_snapshot()")
    waiting = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    return connection.execute(waiting).fetchone()[0]


def test_a_locked_issue_holds_up_only_those_who_change_it(server):
    for name in ("locked", "free"):
        _, _, project, _ = ask(server, "POST", "/projects", name=name)
        ask(server, "POST", f"/projects/{project['id']}/issues", title="first")
    with psycopg.connect(server.database_url) as outside, ThreadPoolExecutor(EDITS) as threads:
        outside.execute("SELECT id FROM issues WHERE project_id = 1 AND iid = 1 FOR UPDATE")
        edits = [
            threads.submit(ask, server, "PUT", "/projects/1/issues/1", title=f"title {number}")
            for number in range(EDITS)
        ]
        eventually(lambda: count_waiting(outside) > 0)
        others = [
            ask(server, method, path, **body)
            for method, path, body in (
                ("GET", "/users", {}),
                ("GET", "/projects/1/issues", {}),
                ("POST", "/projects/2/issues", {"title": "second"}),
                ("PUT", "/projects/2/issues/1", {"title": "changed"}),
                ("GET", "/users", {}),
            )
        ]
        answers = [edit.result() for edit in edits]
    assert [status for status, _, _, _ in others] == [200, 200, 201, 200, 200]
    assert max(seconds for *_, seconds in others) < LOCK_SECONDS - 1
    assert {(status, headers["Retry-After"]) for status, headers, _, _ in answers} == {(503, "1")}
    assert max(seconds for *_, seconds in answers) < 4 * LOCK_SECONDS
    assert ask(server, "PUT", "/projects/1/issues/1", title="at last")[0] == 200
