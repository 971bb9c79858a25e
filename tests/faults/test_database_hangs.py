"""A PostgreSQL that accepts connections and answers nothing, one that refuses further sessions, and one without space."""

import contextlib
import json
import threading
import time
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest
from psycopg import sql

from tests.faults.test_database_away import ask, doors_of, failed_checks, ssh_fetch
from tests.harness.postgres_server import OwnServer
from tests.harness.running import RunningServer
from tests.serve.wire import eventually

SOON = 30
"""Seconds: it takes five to say so and two to be back; a busy machine adds some."""
KNOWN = 10
"""Seconds in which all entry points say so, one after the other, once it is known; twice as many if each found out anew."""


@pytest.fixture(scope="module")
def postgres_alone():
    """A PostgreSQL with few sessions, and with 64 MB for the databases in its tablespace `small`."""
    own = OwnServer(64, max_connections="20", superuser_reserved_connections="0")
    with psycopg.connect(own.url, autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE TABLESPACE small LOCATION {}").format(str(own.space)))
        connection.execute("CREATE DATABASE mujina TEMPLATE template0 TABLESPACE small")
    yield own
    own.stop()


@pytest.fixture(scope="module")
def server(postgres_alone, tmp_path_factory):
    url = f"{postgres_alone.url.replace('/postgres?', '/mujina?')}&options=-c%20lock_timeout%3D60s"
    running = RunningServer(tmp_path_factory.mktemp("hanging") / "data", url)
    running.start()
    project = {"name": "here", "visibility": "public", "initialize_with_readme": True}
    assert ask(running, "/api/v4/projects", "POST", **project)[0] == 201
    yield running
    running.kill()


def test_every_entry_point_says_so_while_the_database_does_not_answer(server, postgres_alone, tmp_path):
    fetch = ssh_fetch(server, tmp_path)
    doors = doors_of(server)
    before = [door()[0] for door in doors]
    assert 503 not in before
    assert fetch().returncode == 0

    def all_at_once():
        with ThreadPoolExecutor(len(doors) + 20) as threads:
            answers = [threads.submit(door) for door in doors]
            crowd = [threads.submit(doors[0]) for _ in range(19)]
            over_ssh = threads.submit(fetch)
            return [answer.result() for answer in answers], [one.result() for one in crowd], over_ssh.result()

    postgres_alone.freeze()
    try:
        started = time.monotonic()
        answers, crowd, over_ssh = all_at_once()
        assert time.monotonic() - started < SOON
        assert [(status, retry) for status, retry, _ in [*answers[:-1], *crowd]] == [(503, "1")] * (
            len(doors) - 1 + len(crowd)
        )
        assert answers[-1][0] == 503
        assert b"unavailable for a moment" in over_ssh.stderr
        started = time.monotonic()
        assert {door()[0] for door in doors} == {503}
        assert time.monotonic() - started < KNOWN, "it is known that the database does not answer"
        assert failed_checks(server) == ["database"]
    finally:
        postgres_alone.thaw()
    back = time.monotonic()
    while [door()[0] for door in doors] != before:
        assert time.monotonic() - back < SOON, "it does not serve again"
        time.sleep(0.05)
    assert fetch().returncode == 0


def test_a_slow_statement_is_not_taken_for_a_database_that_does_not_answer(server, postgres_alone):
    with psycopg.connect(server.database_url) as connection:
        connection.execute("LOCK TABLE broadcast_messages")
        with ThreadPoolExecutor(1) as threads:
            waiting = threads.submit(ask, server, "/api/v4/broadcast_messages")
            blocked = "SELECT count(*) FROM pg_locks WHERE NOT granted"
            eventually(lambda: connection.execute(blocked).fetchone()[0] > 0)
            time.sleep(2.5)  # after two seconds the server is asked whether it is there
            assert ask(server, "/api/v4/projects")[0] == 200
            connection.rollback()
            status, _, seconds = waiting.result()
    assert status == 200
    assert seconds > 2.5


def test_a_request_waits_a_moment_where_the_database_refuses_further_sessions(server, postgres_alone):
    with contextlib.ExitStack() as taken:
        with contextlib.suppress(psycopg.OperationalError):
            while True:
                taken.enter_context(psycopg.connect(postgres_alone.url))
        with ThreadPoolExecutor(24) as threads:
            free = threading.Timer(1, taken.close)
            free.start()
            answers = list(
                threads.map(lambda _: ask(server, "/api/v4/projects/1/issues", "POST", title="x"), range(24))
            )
            free.join()
    assert {status for status, *_ in answers} == {201}


def test_a_database_without_space_refuses_writes_and_serves_reads(server, postgres_alone):
    inside = Path(f"/proc/{postgres_alone.process.pid}/root{postgres_alone.space}")
    text = "y" * 200_000

    def count():
        request = urllib.request.Request(
            f"{server.url}/api/v4/projects/1/issues?per_page=1", headers={"Private-Token": server.token}
        )
        with urllib.request.urlopen(request, timeout=60) as answer:
            return int(answer.headers["X-Total"])

    def create():
        request = urllib.request.Request(
            f"{server.url}/api/v4/projects/1/issues",
            json.dumps({"title": "x", "description": text}).encode(),
            {"Private-Token": server.token, "Content-Type": "application/json"},
        )
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status, ""
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read().decode()

    with (inside / "filler").open("wb", buffering=0) as filler, contextlib.suppress(OSError):
        while True:
            filler.write(b"\0" * 4096)
    try:
        before = count()
        answers = [create() for _ in range(12)]
        assert answers[-1][0] == 507
        assert "storage is full" in answers[-1][1]
        assert {status for status, _ in answers} <= {201, 507}
        assert count() == before + [status for status, _ in answers].count(201)
    finally:
        (inside / "filler").unlink()
    assert create()[0] == 201
    assert ask(server, "/-/readiness")[0] == 200
