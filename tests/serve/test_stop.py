"""Stopping: nothing new begins, what has begun ends, and the exit code is 0."""

import json
import signal

import pytest

from tests.harness.running import RunningServer
from tests.serve.wire import answer, ask, connection, eventually, head, is_closed, is_refused

PROJECT = json.dumps({"name": "in the middle"}).encode()


def begin(wire, server: RunningServer) -> None:
    """All of a request but its last byte, of which the server has seen the first."""
    expecting = (f"Content-Length: {len(PROJECT)}", "Content-Type: application/json", "Expect: 100-continue")
    wire.sendall(head("POST", "/api/v4/projects", f"Private-Token: {server.token}", *expecting))
    assert answer(wire)[0] == 100
    wire.sendall(PROJECT[:-1])


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_request_that_has_begun_is_answered_and_nothing_new_begins(server: RunningServer, number: signal.Signals):
    server.start()
    with connection(server.url) as wire, connection(server.url) as idle:
        idle.sendall(head("GET", "/-/health"))
        answer(idle)
        begin(wire, server)
        server.process.send_signal(number)
        assert is_closed(idle)
        eventually(lambda: is_refused(server.url))
        wire.sendall(PROJECT[-1:])
        assert answer(wire)[0] == 201
    assert server.process.wait(180) == 0
    server.start()
    assert ask(server.url, "/api/v4/projects/root%2Fin-the-middle", f"Private-Token: {server.token}")[0] == 200


def test_a_request_that_does_not_end_is_cut_off_after_the_grace(server: RunningServer):
    server.environment = {"MUJINA_GRACE_SECONDS": "1"}
    server.start()
    with connection(server.url) as wire:
        begin(wire, server)
        assert server.stop() == 0


def test_a_second_signal_ends_the_grace(server: RunningServer):
    server.environment = {"MUJINA_GRACE_SECONDS": "3600"}
    server.start()
    with connection(server.url) as wire, connection(server.url) as idle:
        begin(wire, server)
        server.process.terminate()
        assert is_closed(idle)
        assert server.stop() == 0


def test_under_nohup_it_goes_on_when_the_terminal_closes(server: RunningServer):
    server.wrapper = ("nohup",)
    server.start()
    server.process.send_signal(signal.SIGHUP)
    assert ask(server.url, "/-/liveness")[0] == 200
    assert server.stop() == 0
