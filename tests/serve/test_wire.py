"""What the server makes of HTTP before the application sees it."""

import json
import re
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.harness.running import RunningServer
from tests.serve.wire import answer, ask, connection, head

BODY = b'{"name": "foo"}'


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    folder: Path = tmp_path_factory.mktemp("wire")
    running = RunningServer(folder / "data", f"sqlite:///{folder}/mujina.db")
    running.start()
    ask(running.url, "/api/v4/projects", *sending(running), method="POST", body=BODY)
    yield running
    running.kill()


def sending(server: RunningServer) -> tuple[str, str]:
    return f"Private-Token: {server.token}", "Content-Type: application/json"


@pytest.mark.parametrize("path", ["root%2Ffoo", "root%2ffoo", "%72oot%2Ffoo", "1"])
def test_an_encoded_slash_survives_until_after_routing(server: RunningServer, path: str):
    assert ask(server.url, f"/api/v4/projects/{path}", *sending(server))[2]["path_with_namespace"] == "root/foo"


def test_a_connection_is_kept_for_further_requests(server: RunningServer):
    with connection(server.url) as wire:
        for _ in range(3):
            wire.sendall(head("GET", "/api/v4/user", *sending(server)))
            status, _, body = answer(wire)
            assert (status, json.loads(body)["id"]) == (200, 1)


def test_requests_sent_ahead_are_answered_in_order(server: RunningServer):
    with connection(server.url) as wire:
        wire.sendall(head("GET", "/api/v4/user", *sending(server)) + head("GET", "/-/health"))
        assert json.loads(answer(wire)[2])["id"] == 1
        assert answer(wire)[2] == b"ok\n"


def test_a_client_that_expects_to_be_asked_for_its_body_is(server: RunningServer):
    with connection(server.url) as wire:
        issue = b'{"title": "asked for"}'
        expect = (f"Content-Length: {len(issue)}", "Expect: 100-continue")
        wire.sendall(head("POST", "/api/v4/projects/1/issues", *sending(server), *expect))
        assert answer(wire)[0] == 100
        wire.sendall(issue)
        assert answer(wire)[0] == 201


def test_a_body_in_chunks_is_read_whole(server: RunningServer):
    with connection(server.url) as wire:
        wire.sendall(head("POST", "/api/v4/projects/1/issues", *sending(server), "Transfer-Encoding: chunked"))
        for part in (b'{"title"', b': "in parts"}', b""):
            wire.sendall(b"%x\r\n%s\r\n" % (len(part), part))
        status, _, body = answer(wire)
        assert (status, json.loads(body)["title"]) == (201, "in parts")


def test_a_client_that_leaves_in_the_middle_of_its_body_leaves_no_trace(server: RunningServer):
    with connection(server.url) as wire:
        wire.sendall(head("POST", "/api/v4/projects", *sending(server), f"Content-Length: {len(BODY) + 1}"))
        wire.sendall(b'{"name": "half"')
    assert ask(server.url, "/api/v4/projects/root%2Fhalf", *sending(server))[0] == 404


def test_half_a_form_is_not_taken_for_a_whole_one(server: RunningServer):
    headers = [f"Private-Token: {server.token}", "Content-Type: application/x-www-form-urlencoded"]
    form = b"title=Cut+off+in+the+mid"
    chunk = b"%x\r\n%s\r\n" % (len(form), form)
    for target in ("/api/v4/projects/1/issues", "/users/sign_in"):
        for framing, sent in (
            (f"Content-Length: {len(form) + 4}", form),
            ("Transfer-Encoding: chunked", chunk),
            ("Transfer-Encoding: chunked", chunk + b"no size\r\n"),
        ):
            with connection(server.url) as wire:
                wire.sendall(head("POST", target, *headers, framing) + sent)
                wire.shutdown(socket.SHUT_WR)
                assert answer(wire)[0] == 400, (target, framing)
    assert ask(server.url, "/api/v4/projects/1/issues?search=cut", *sending(server))[2] == []


def test_http_1_0_is_understood(server: RunningServer):
    with connection(server.url) as wire:
        wire.sendall(b"GET /-/health HTTP/1.0\r\n\r\n")
        assert answer(wire)[2] == b"ok\n"
        assert wire.recv(1) == b""
    with connection(server.url) as wire:
        wire.sendall(f"GET /api/v4/projects/1 HTTP/1.0\r\nPrivate-Token: {server.token}\r\n\r\n".encode())
        assert json.loads(answer(wire)[2])["web_url"] == f"{server.url}/root/foo"


HEALTH = head("GET", "/-/health")


@pytest.mark.parametrize(
    ("sent", "statuses"),
    [
        (b"\r\n" + HEALTH, [200]),
        (head("GET", "http://mujina.test/-/health"), [200]),
        (head("GET", "/-/health#part"), [200]),
        (head("GET", "/-/é"), [404]),
        (head("BREW", "/api/v4/version"), [405]),
        (head("CONNECT", "mujina.test:80"), [400]),
        (HEALTH + b"\0garbage\r\n\r\n", [200, 400]),
        (head("GET", "/-/health", "Connection: close") + HEALTH, [200]),
        (head("GET", "/-/health", "Content-Length: 5") + b"hello" + HEALTH, [200, 200]),
        (head("HEAD", "/-/health") + HEALTH, [200, 200]),
        (head("GET", "/-/health", "X-Folded: a", "  b"), [400]),
        (head("GET", "/-/health", "X-Spaced : a"), [400]),
        (head("POST", "/-/health", "Content-Length: 3", "Content-Length: 4") + b"abcd", [400]),
        (head("POST", "/-/health", "Content-Length: 99999999999999999999999") + b"abcd", [400]),
        (head("POST", "/-/health", "Content-Length: 5", "Transfer-Encoding: chunked") + b"0\r\n\r\n" + HEALTH, [400]),
        (b"GET /-/health HTTP/1.1\r\n\r\n" + HEALTH, [400, 200]),
        (b"GET / HTTP/1.1\r\n\r\n", [400]),
        (b"GET /api/v4/version HTTP/1.1\r\n\r\n", [400]),
        (b"GET /-/health HTTP/1.0\r\n\r\n", [200]),
        (head("GET", "/-/health", "Host: other.test"), [400]),
        (head("POST", "/-/health", "Transfer-Encoding: gzip") + HEALTH, [501]),
        (head("POST", "/-/health", "Transfer-Encoding: identity") + HEALTH, [501]),
        (head("POST", "/-/health", "Transfer-Encoding: gzip, chunked") + b"0\r\n\r\n" + HEALTH, [501]),
        (head("POST", "/-/health", "Transfer-Encoding: gzip", "Transfer-Encoding: chunked") + b"0\r\n\r\n", [501]),
        (head("POST", "/-/health", "Transfer-Encoding: Chunked") + b"0\r\n\r\n" + HEALTH, [404, 200]),
        (head("GET", "/-/health", "Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c") + HEALTH, [200, 200]),
    ],
    ids=str,
)  # fmt: skip
def test_a_request_ends_where_its_head_says(server: RunningServer, sent: bytes, statuses: list[int]):
    """The end of a request is never guessed: what a proxy takes for the body of one is never taken for another."""
    with connection(server.url) as wire:
        wire.sendall(sent)
        wire.shutdown(socket.SHUT_WR)
        output = b""
        while part := wire.recv(100_000):
            output += part
    assert [int(status) for status in re.findall(rb"HTTP/1.1 (\d+) ", output)] == statuses


def test_an_offer_of_another_protocol_does_not_hide_the_body(server: RunningServer):
    issue = b'{"title": "sent by a client that prefers HTTP/2"}'
    offer = ("Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABk")
    with connection(server.url) as wire:
        for framing, body in (
            (f"Content-Length: {len(issue)}", issue),
            ("Transfer-Encoding: chunked", b"%x\r\n%s\r\n0\r\n\r\n" % (len(issue), issue)),
        ):
            wire.sendall(head("POST", "/api/v4/projects/1/issues", *sending(server), *offer, framing))
            wire.sendall(body)
            status, _, created = answer(wire)
            assert (status, json.loads(created)["title"]) == (201, json.loads(issue)["title"])


def test_a_client_that_still_sends_gets_the_response_that_refuses_it(server: RunningServer):
    with connection(server.url) as wire:
        wire.sendall(head("POST", "/api/v4/projects", *sending(server), "Content-Length: 99999999999"))
        wire.sendall(b"x" * 3_000_000)
        status, headers, _ = answer(wire)
        assert (status, headers["connection"]) == (413, "close")
        wire.shutdown(socket.SHUT_WR)
        assert wire.recv(1) == b""


def test_a_client_that_reads_late_gets_every_response_to_what_it_sent_ahead(server: RunningServer):
    issue = json.dumps({"title": "long", "description": "x" * 200_000}).encode()
    iid = ask(server.url, "/api/v4/projects/1/issues", *sending(server), method="POST", body=issue)[2]["iid"]
    with connection(server.url, receive_buffer=4_096) as wire:
        for _ in range(20):
            wire.sendall(head("GET", f"/api/v4/projects/1/issues/{iid}", *sending(server)))
        wire.sendall(HEALTH)
        for _ in range(20):
            assert len(answer(wire)[2]) > 200_000
        assert answer(wire)[2] == b"ok\n"
