"""Clients that are slow, silent or too loud: they are bounded, and nobody else notices them."""

import json
import re
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.harness import fork_server
from tests.harness.running import RunningServer, running
from tests.serve.wire import answer, ask, connection, head, is_closed

MEGABYTE = 1_000_000


@pytest.fixture(scope="module")
def impatient(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """Gives a connection one second to send a head, and takes four connections at a time."""
    folder = tmp_path_factory.mktemp("impatient")
    running = RunningServer(folder / "data", f"sqlite:///{folder}/mujina.db")
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("MUJINA_HEADER_SECONDS", "1")
        environment.setenv("MUJINA_MAX_CONNECTIONS", "4")
        running.start()
    yield running
    running.kill()


@pytest.fixture(scope="module")
def patient(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """Gives everybody the usual time."""
    folder = tmp_path_factory.mktemp("patient")
    running = RunningServer(folder / "data", f"sqlite:///{folder}/mujina.db")
    running.start()
    yield running
    running.kill()


def test_a_half_sent_head_is_closed_at_the_time_limit(impatient: RunningServer):
    with connection(impatient.url) as wire:
        wire.sendall(b"GET /api/v4/version HTTP/1.1\r\nHost: mu")
        assert is_closed(wire)


def test_a_connection_that_says_nothing_is_closed_at_the_time_limit(impatient: RunningServer):
    with connection(impatient.url) as wire:
        assert is_closed(wire)


def test_a_kept_connection_that_asks_nothing_more_is_closed_at_the_time_limit(impatient: RunningServer):
    with connection(impatient.url) as wire:
        wire.sendall(head("GET", "/-/health"))
        assert answer(wire)[0] == 200
        assert is_closed(wire)


def test_more_connections_than_allowed_wait_for_one_to_close(impatient: RunningServer):
    with ExitStack() as open_:
        for _ in range(4):
            open_.enter_context(connection(impatient.url))
        assert ask(impatient.url, "/-/health")[0] == 200


def test_half_sent_heads_dripping_bodies_and_slow_readers_do_not_keep_others_waiting(server: RunningServer):
    token = f"Private-Token: {server.token}"
    server.environment = {"MUJINA_HEADER_SECONDS": "3600"}
    server.start()
    list_issues = a_long_list(server)
    with ExitStack() as open_:
        heads = [open_.enter_context(connection(server.url)) for _ in range(50)]
        bodies = [open_.enter_context(connection(server.url)) for _ in range(20)]
        readers = [open_.enter_context(connection(server.url, receive_buffer=4_096)) for _ in range(5)]
        for wire in heads:
            wire.sendall(b"GET /api/v4/version HTTP/1.1\r\nHost: mu")
        for number, wire in enumerate(bodies):
            body = json.dumps({"name": f"dripped {number}"}).encode()
            wire.sendall(
                head(
                    "POST", "/api/v4/projects", token, "Content-Type: application/json", f"Content-Length: {len(body)}"
                )
            )
            wire.sendall(body[:-1])
        for wire in readers:
            wire.sendall(head("GET", list_issues, token))
        for _ in range(20):
            assert ask(server.url, "/api/v4/version", token)[0] == 200

        for wire in heads:
            wire.sendall(f"jina\r\n{token}\r\n\r\n".encode())
            assert answer(wire)[0] == 200
        for wire in bodies:
            wire.sendall(b"}")
            assert answer(wire)[0] == 201
        for wire in readers:
            status, _, content = answer(wire)
            assert status == 200
            assert [len(issue["description"]) for issue in json.loads(content)] == [MEGABYTE] * 5


@pytest.mark.parametrize(
    "request_head",
    [
        head("GET", "/api/v4/version?x=" + "y" * 200_000),
        head("GET", "/api/v4/version", "X-Long: " + "y" * 200_000),
        head("GET", "/api/v4/version", *(f"X-Header-{number}: y" for number in range(200))),
    ],
    ids=["a long line", "a long header", "many headers"],
)
def test_a_head_that_is_too_long_is_refused(patient: RunningServer, request_head: bytes):
    with connection(patient.url) as wire:
        wire.sendall(request_head)
        assert answer(wire)[0] in {414, 431}


@pytest.mark.parametrize(
    "garbage", [b"\x16\x03\x01\x02\x00\x01\x00", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"\0" * 100]
)
def test_input_that_is_not_http_is_refused_and_closed(patient: RunningServer, garbage: bytes):
    with connection(patient.url) as wire:
        wire.sendall(garbage + b"\r\n\r\n")
        output = b""
        while part := wire.recv(1_000):
            output += part
        assert output == b"" or output.startswith(b"HTTP/1.1 400 ")
    assert ask(patient.url, "/-/health")[0] == 200


def a_long_list(server: RunningServer) -> str:
    """The path of five megabytes of issues."""
    token, json_ = f"Private-Token: {server.token}", "Content-Type: application/json"
    ask(server.url, "/api/v4/projects", token, json_, method="POST", body=b'{"name": "long"}')
    for _ in range(5):
        issue = json.dumps({"title": "long", "description": "x" * MEGABYTE}).encode()
        assert ask(server.url, "/api/v4/projects/root%2Flong/issues", token, json_, method="POST", body=issue)[0] == 201
    return "/api/v4/projects/root%2Flong/issues"


def test_a_client_that_takes_nothing_of_its_answer_is_cut_off():
    assert fork_server.run("tests.serve.stalled_reader", timeout=180)[0] == 0


def test_the_limit_of_open_files_is_raised_for_the_connections_of_all_ports(tmp_path: Path):
    limited = ("sh", "-c", 'ulimit -S -n 512 && exec "$@"', "sh")
    with running(tmp_path, wrapper=limited, flags=("--pages-port", "0"), MUJINA_MAX_CONNECTIONS="1000") as server:
        limits = Path(f"/proc/{server.process.pid}/limits").read_text()
        assert re.findall(r"Max open files +(\d+)", limits) == [str(3 * 1_000 + 256)]  # HTTP, sites and SSH
