"""A row that something else keeps locked on PostgreSQL delays those who change it, for a bounded time, and nobody else."""

import json
import time
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

EDITS = 24


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


def test_a_locked_issue_holds_up_only_those_who_change_it(running_server):
    for name in ("locked", "free"):
        _, _, project, _ = ask(running_server, "POST", "/projects", name=name)
        ask(running_server, "POST", f"/projects/{project['id']}/issues", title="first")
    with psycopg.connect(running_server.database_url) as outside, ThreadPoolExecutor(EDITS) as threads:
        outside.execute("SELECT id FROM issues WHERE project_id = 1 AND iid = 1 FOR UPDATE")
        edits = [
            threads.submit(ask, running_server, "PUT", "/projects/1/issues/1", title=f"title {number}")
            for number in range(EDITS)
        ]
        time.sleep(0.5)
        others = [
            ask(running_server, method, path, **body)
            for method, path, body in (
                ("GET", "/users", {}),
                ("GET", "/projects/1/issues", {}),
                ("POST", "/projects/2/issues", {"title": "second"}),
                ("PUT", "/projects/2/issues/1", {"title": "changed"}),
                ("GET", "/users", {}),
            )
        ]
        waiting = [edit for edit in edits if not edit.done()]
        assert len(waiting) == EDITS, "the edits wait meanwhile"
        answers = [edit.result() for edit in edits]
    assert [status for status, _, _, _ in others] == [200, 200, 201, 200, 200]
    assert max(seconds for *_, seconds in others) < 2
    assert {(status, headers["Retry-After"]) for status, headers, _, _ in answers} == {(503, "1")}
    assert max(seconds for *_, seconds in answers) < 12
    assert ask(running_server, "PUT", "/projects/1/issues/1", title="at last")[0] == 200
