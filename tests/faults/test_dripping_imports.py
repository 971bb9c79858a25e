"""One person's imports from a source that hardly sends anything hold up nobody else's jobs."""

import json
import socket
import threading
import time
import urllib.error
import urllib.request
from contextlib import suppress

import pytest

from mujina.adapters.git.storage import RepositoryStorage
from tests.harness.running import RunningServer

SOON = 60
"""Seconds: far below what the source takes, and above what a busy machine needs."""


@pytest.fixture
def dripping_source():
    """A server on this machine that takes every request and sends one byte a second; its address, and its requests."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=64)
    ended, requests = threading.Event(), []

    def drip(wire):
        with wire, suppress(ConnectionError):  # a client ends with the server that was killed
            wire.sendall(b"HTTP/1.1 200 OK\r\nX-Slow: ")
            while not ended.wait(1):
                wire.sendall(b"x")

    def accept():
        while True:
            try:
                wire, _ = listener.accept()
            except OSError:
                return
            requests.append(time.monotonic())
            threading.Thread(target=drip, args=(wire,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    yield f"http://127.0.0.1:{listener.getsockname()[1]}/", requests
    ended.set()
    listener.shutdown(socket.SHUT_RDWR)
    listener.close()


@pytest.fixture
def server(migrated_url, tmp_path, monkeypatch):
    monkeypatch.setenv("MUJINA_OUTBOUND_ALLOW", "127.0.0.1")
    running = RunningServer(tmp_path / "data", migrated_url)
    running.start()
    yield running
    running.kill()


class Person:
    def __init__(self, server, name=None):
        self.server = server
        self.sudo = {"Sudo": name} if name else {}

    def ask(self, method, path, **body):
        request = urllib.request.Request(
            f"{self.server.url}/api/v4{path}",
            method=method,
            data=json.dumps(body).encode() if body else None,
            headers={"Private-Token": self.server.token, "Content-Type": "application/json", **self.sudo},
        )
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.loads(answer.read() or b"null")
        except urllib.error.HTTPError as error:
            return {"status": error.code, **json.loads(error.read())}


def until(condition):
    deadline = time.monotonic() + SOON
    while not condition():
        assert time.monotonic() < deadline, "another person's work waits"
        time.sleep(0.1)


def test_imports_that_drip_hold_up_no_other_work(server, dripping_source):
    address, _ = dripping_source
    root, anna, ben = Person(server), Person(server, "anna"), Person(server, "ben")
    for name in ("anna", "ben", "gone"):
        account = {"email": f"{name}@example.org", "name": name, "username": name}
        root.ask("POST", "/users", password="correct horse battery", skip_confirmation=True, **account)
    source = root.ask("POST", "/projects", name="source", visibility="public", initialize_with_readme=True)
    doomed = ben.ask("POST", "/projects", name="doomed")
    first = {"branch": "master", "content": "x", "commit_message": "first"}
    ben.ask("POST", f"/projects/{doomed['id']}/repository/files/README", **first)
    repository = RepositoryStorage.of(server.data).repo_path(doomed["id"])
    assert repository.exists()
    for number in range(17):
        made = anna.ask("POST", "/projects", name=f"slow {number}", import_url=f"{address}{number}.git")
        assert made["import_status"] == "scheduled"
    slow = made["id"]
    until(lambda: anna.ask("GET", f"/projects/{slow - 16}")["import_status"] == "started")

    mails = server.data / "mails"
    before = len(list(mails.glob("*"))) if mails.exists() else 0
    fork = ben.ask("POST", f"/projects/{source['id']}/fork")
    imported = ben.ask("POST", "/projects", name="mine", import_url=f"{address}mine.git")
    ben.ask("DELETE", f"/projects/{doomed['id']}")
    root.ask("PUT", f"/users/{ben.ask('GET', '/user')['id']}", password="another horse battery")

    until(lambda: ben.ask("GET", f"/projects/{fork['id']}")["import_status"] == "finished")
    until(lambda: ben.ask("GET", f"/projects/{imported['id']}")["import_status"] == "started")
    until(lambda: len(list(mails.glob("*"))) > before)
    until(lambda: ben.ask("GET", f"/projects/{doomed['id']}").get("status") == 404 and not repository.exists())
    assert anna.ask("GET", f"/projects/{slow}")["import_status"] == "scheduled"


@pytest.mark.parametrize("engine", ["sqlite"])
def test_a_job_whose_process_was_killed_starts_again_soon(server, dripping_source):
    address, requests = dripping_source
    Person(server).ask("POST", "/projects", name="slow", import_url=f"{address}slow.git")
    until(lambda: requests)
    server.kill()
    before, killed = len(requests), time.monotonic()
    server.start()
    until(lambda: len(requests) > before)
    assert requests[before] - killed < SOON
