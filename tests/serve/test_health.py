"""Health, readiness and metrics."""

import asyncio
from pathlib import Path

import pytest

from mujina.kernel.db.transaction import Tx
from mujina.migrations.revisions import known
from tests.harness.databases import in_transaction
from tests.harness.running import RunningServer
from tests.serve.wire import ask


def test_a_running_server_is_alive_and_ready(shared_server: RunningServer):
    assert ask(shared_server.url, "/-/health")[::2] == (200, "ok\n")
    assert ask(shared_server.url, "/-/liveness")[::2] == (200, {"status": "ok"})
    assert ask(shared_server.url, "/-/readiness")[::2] == (
        200,
        {"status": "ok", "checks": {"database": "ok", "storage": "ok"}},
    )
    assert ask(shared_server.url, "/-/unknown")[0] == 404


def test_the_server_is_not_ready_while_a_write_would_fail(shared_server: RunningServer):
    rewrite_revision(shared_server.database_url, "9999")
    assert ask(shared_server.url, "/-/liveness")[0] == 200
    assert ask(shared_server.url, "/-/readiness")[::2] == (
        503,
        {"status": "failed", "checks": {"database": "newer schema", "storage": "ok"}},
    )
    rewrite_revision(shared_server.database_url, " ".join(known()))
    assert ask(shared_server.url, "/-/readiness")[0] == 200


def test_the_server_is_not_ready_while_the_database_is_locked(shared_server: RunningServer):
    assert in_transaction(shared_server.database_url, lambda tx: readiness_while_locked(tx, shared_server)) == 503
    assert ask(shared_server.url, "/-/readiness")[0] == 200


def rewrite_revision(url: str, revision: str) -> None:
    in_transaction(url, lambda tx: tx.run("UPDATE schema_revision SET revision = :revision", revision=revision))


async def readiness_while_locked(tx: Tx, server: RunningServer) -> int:
    if tx.engine == "postgres":
        await tx.run("LOCK TABLE schema_revision IN ACCESS EXCLUSIVE MODE")
    status, _, _ = await asyncio.to_thread(ask, server.url, "/-/readiness")
    return status


def test_metrics_have_the_format_of_prometheus(shared_server: RunningServer):
    token = f"Private-Token: {shared_server.token}"
    ask(shared_server.url, "/api/v4/user", token)
    ask(shared_server.url, "/api/v4/no/such/route", token)
    ask(shared_server.url, "/api/v4/user", token, method="BREW")
    status, headers, text = ask(shared_server.url, "/-/metrics")
    assert (status, headers["content-type"]) == (200, "text/plain; version=0.0.4; charset=utf-8")
    assert 'mujina_requests_total{method="GET",route="/user",status="200"} 1.0' in text
    assert 'mujina_requests_total{method="GET",route="other",status="404"}' in text
    assert "BREW" not in text
    assert "mujina_build_info{" in text
    assert "process_resident_memory_bytes" in text


@pytest.mark.parametrize("via", ["203.0.113.7", "127.0.0.1, 203.0.113.7", "nonsense"])
def test_metrics_are_hidden_from_clients_behind_a_proxy(shared_server: RunningServer, via: str):
    assert ask(shared_server.url, "/-/metrics", f"X-Forwarded-For: {via}")[0] == 403
    assert ask(shared_server.url, "/-/metrics", "X-Forwarded-For: 127.0.0.1")[0] == 200


def test_the_operator_decides_who_may_read_metrics(tmp_path: Path, sqlite_url: str):
    server = RunningServer(tmp_path / "data", sqlite_url, environment={"MUJINA_METRICS_ALLOW": "10.0.0.0/8"})
    server.start()
    assert ask(server.url, "/-/metrics")[0] == 403
    server.kill()
