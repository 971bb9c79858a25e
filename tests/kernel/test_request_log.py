"""The access log: one line per request, if the operator does not turn it off."""

import json
from ipaddress import ip_network
from pathlib import Path

import pytest

from mujina.kernel.http.requests.log import SLOW_SECONDS, client_address
from tests.harness.running import RunningServer
from tests.serve.wire import ask


@pytest.mark.parametrize("access_log", ["false", "true"])
def test_requests_are_logged_unless_the_operator_turns_the_access_log_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, access_log: str
):
    monkeypatch.setenv("MUJINA_ACCESS_LOG", access_log)
    server = RunningServer(tmp_path / "data", f"sqlite:///{tmp_path}/mujina.db")
    server.start()
    _, headers, _ = ask(server.url, f"/api/v4/user?private_token={server.token}")
    _, _, body = ask(server.url, "/api/v4/users/1", f"Private-Token: {server.token}", "X-Request-Id: chosen")
    ask(server.url, "/api/v4/nothing", "X-Forwarded-For: 192.0.2.7")
    ask(server.url, "/users/sign_in")
    ask(server.url, "/-/health")
    ask(server.url, f"/invites/{'0123456789abcdef' * 4}/x")
    ask(server.url, "/a/b/uploads/0123456789abcdef0123456789abcdef/x.png")
    server.stop()
    text = (tmp_path / "data.1.log").read_text()
    lines = [json.loads(line) for line in text.splitlines() if line.startswith("{")]
    assert server.token not in text
    if access_log == "false":
        assert [line for line in lines if line["seconds"] < SLOW_SECONDS] == []
        return
    assert [line["request_id"] for line in lines[:2]] == [headers["x-request-id"], "chosen"]
    assert [(line.get("user"), line["path"], line["route"], line["status"]) for line in lines] == [
        ("root", "/api/v4/user", "/user", 200),
        ("root", "/api/v4/users/1", "/users/:id", 200),
        (None, "/api/v4/nothing", "other", 404),
        (None, "/users/sign_in", "/users/sign_in", 200),
        (None, "/-/health", "/-/health", 200),
        (None, "/invites/[masked]/x", "other", 404),
        (None, "/a/b/uploads/0123456789abcdef0123456789abcdef/x.png", "uploads", 404),
    ]
    assert {(line["event"], line["method"], line["address"], line["level"]) for line in lines} == {
        ("request", "GET", "127.0.0.1", "info")
    }
    assert all(line["seconds"] > 0 and line["timestamp"] for line in lines)
    assert lines[1]["bytes"] == len(json.dumps(body, separators=(",", ":"), ensure_ascii=False).encode())
    assert lines[4]["bytes"] == len("ok\n")


def test_the_address_behind_a_trusted_proxy_is_logged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("MUJINA_TRUSTED_PROXIES", "127.0.0.0/8")
    server = RunningServer(tmp_path / "data", f"sqlite:///{tmp_path}/mujina.db")
    server.start()
    ask(server.url, "/-/health", "X-Forwarded-For: 203.0.113.9, 192.0.2.7")
    server.stop()
    line = next(line for line in (tmp_path / "data.1.log").read_text().splitlines() if line.startswith("{"))
    assert json.loads(line)["address"] == "192.0.2.7"


@pytest.mark.parametrize(
    ("peer", "forwarded", "expected"),
    [
        ("10.0.0.1", [b"192.0.2.7"], "192.0.2.7"),
        ("10.0.0.1", [b"203.0.113.9, 192.0.2.7, 10.0.0.2"], "192.0.2.7"),
        ("10.0.0.1", [b"203.0.113.9", b"192.0.2.7"], "192.0.2.7"),
        ("::ffff:10.0.0.1", [b"2001:db8::1"], "2001:db8::1"),
        ("198.51.100.1", [b"192.0.2.7"], "198.51.100.1"),
        ("10.0.0.1", [b"192.0.2.7, not an address"], "10.0.0.1"),
        ("10.0.0.1", [], "10.0.0.1"),
    ],
)
def test_forwarded_addresses_count_only_as_far_as_proxies_are_trusted(peer: str, forwarded: list[bytes], expected: str):
    headers = [(b"x-forwarded-for", value) for value in forwarded]
    assert client_address(peer, headers, [ip_network("10.0.0.0/8")]) == expected
