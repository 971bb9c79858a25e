"""While PostgreSQL is away every entry point answers 503 soon, and serves again soon after it is back."""

import json
import re
import socket
import subprocess
import threading
import time
import urllib.error
import urllib.request
from contextlib import suppress
from functools import partial
from urllib.parse import urlsplit, urlunsplit

import pytest

from tests.harness.running import RunningServer

SOON = 30
"""Seconds: far below what a connection that hangs takes, and above what a busy machine needs."""


class Way:
    """A socket between a server and PostgreSQL that can be cut and opened again."""

    def __init__(self, folder, real_folder):
        self.path = str(folder / ".s.PGSQL.5432")
        self.real = f"{real_folder}/.s.PGSQL.5432"
        self.wires, self.threads = [], []
        self.open()

    def open(self):
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.path)
        self.listener.listen(64)
        self.start(self.accept, self.listener)

    def start(self, work, *arguments):
        thread = threading.Thread(target=work, args=arguments, daemon=True)
        self.threads.append(thread)
        thread.start()

    def accept(self, listener):
        while True:
            try:
                near, _ = listener.accept()
            except OSError:
                return
            far = socket.socket(socket.AF_UNIX)
            far.connect(self.real)
            self.wires += [near, far]
            for source, target in ((near, far), (far, near)):
                self.start(self.pass_on, source, target)

    def pass_on(self, source, target):
        with suppress(OSError):
            while piece := source.recv(65536):
                target.sendall(piece)
        for wire in (source, target):
            with suppress(OSError):
                wire.shutdown(socket.SHUT_RDWR)

    def cut(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        subprocess.run(["rm", self.path], check=True)
        for wire in self.wires:
            with suppress(OSError):
                wire.shutdown(socket.SHUT_RDWR)
        for thread in self.threads:
            thread.join()
        for wire in self.wires:
            wire.close()
        self.wires, self.threads = [], []


@pytest.fixture
def engine():
    return "postgres"


@pytest.fixture
def way(migrated_url, tmp_path_factory):
    way = Way(tmp_path_factory.mktemp("way"), migrated_url.partition("host=")[2])
    yield way
    way.cut()


@pytest.fixture
def server(way, migrated_url, tmp_path, monkeypatch):
    monkeypatch.delenv("MUJINA_SSH_PORT", raising=False)
    parts = urlsplit(migrated_url)
    folder = way.path.rpartition("/")[0]
    running = RunningServer(tmp_path / "data", urlunsplit(parts._replace(query=f"host={folder}")))
    running.start()
    yield running
    running.kill()


def ask(server, path, method="GET", headers=None, **body):
    """The status, Retry-After and the seconds of an answer."""
    content = {"Content-Type": "application/json"} if body else {}
    request = urllib.request.Request(
        f"{server.url}{path}",
        method=method,
        data=json.dumps(body).encode() if body else None,
        headers={"Private-Token": server.token, **content, **(headers or {})},
    )
    started = time.monotonic()
    try:
        answer = urllib.request.urlopen(request, timeout=60)
    except urllib.error.HTTPError as error:
        answer = error
    with answer:
        answer.read()
        return answer.status, answer.headers["Retry-After"], time.monotonic() - started


def failed_checks(server):
    """The checks that readiness names."""
    try:
        answer = urllib.request.urlopen(f"{server.url}/-/readiness", timeout=60)
    except urllib.error.HTTPError as error:
        answer = error
    with answer:
        return [name for name, outcome in json.load(answer)["checks"].items() if outcome != "ok"]


BATCH = {"operation": "download", "objects": [{"oid": "a" * 64, "size": 1}]}


def doors_of(server):
    """A request to each entry point; each gives the status, Retry-After and the seconds of its answer."""
    lfs = {"Content-Type": "application/vnd.git-lfs+json"}
    browser = {"Accept": "text/html", "Cookie": "_service_session=0123456789"}
    basic = {"Authorization": "Basic cm9vdDpyb290"}
    return [
        partial(ask, server, "/api/v4/projects"),
        partial(ask, server, "/api/v4/projects/1/issues", "POST", title="x"),
        partial(ask, server, "/root/here.git/info/refs?service=git-upload-pack"),
        partial(ask, server, "/root/here.git/info/refs?service=git-receive-pack", "GET", basic),
        partial(ask, server, "/root/here.git/info/lfs/objects/batch", "POST", lfs, **BATCH),
        partial(ask, server, "/users/sign_in", "GET", browser),
        partial(ask, server, "/root/here/uploads/0123456789abcdef0123456789abcdef/x.png"),
        partial(ask, server, "/-/readiness"),
    ]


def test_every_entry_point_says_that_the_database_is_away_and_serves_when_it_is_back(server, way):
    project = {"name": "here", "visibility": "public", "initialize_with_readme": True}
    assert ask(server, "/api/v4/projects", "POST", **project)[0] == 201
    doors = doors_of(server)
    before = [door()[0] for door in doors]
    assert 503 not in before
    way.cut()
    answers = [door() for door in doors]
    assert [(status, retry) for status, retry, _ in answers[:-1]] == [(503, "1")] * (len(doors) - 1)
    assert answers[-1][0] == 503
    assert failed_checks(server) == ["database"]
    assert [ask(server, path)[0] for path in ("/-/health", "/-/liveness")] == [200, 200]
    assert max(seconds for *_, seconds in answers) < SOON
    way.open()
    back = time.monotonic()
    while [door()[0] for door in doors] != before:
        assert time.monotonic() - back < SOON, "it does not serve again"
        time.sleep(0.1)


def ssh_fetch(server, folder):
    """Fetches the project `here` over SSH with a new key of the administrator."""
    key = folder / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], check=True)
    public = key.with_suffix(".pub").read_text()
    assert ask(server, "/api/v4/user/keys", "POST", title="mine", key=public)[0] == 201
    with urllib.request.urlopen(
        urllib.request.Request(f"{server.url}/api/v4/projects/1", headers={"Private-Token": server.token})
    ) as answer:
        address = json.load(answer)["ssh_url_to_repo"]
    port = re.search(r":(\d+)/", address)[1]
    options = ["-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null", "-o", "IdentitiesOnly=yes"]
    command = ["ssh", *options, "-i", str(key), "-p", port, "git@127.0.0.1", "git-upload-pack root/here.git"]
    return partial(subprocess.run, command, input=b"0000", capture_output=True, timeout=120, check=False)


def test_git_over_ssh_says_that_the_database_is_away(server, way, tmp_path):
    assert ask(server, "/api/v4/projects", "POST", name="here", initialize_with_readme=True)[0] == 201
    fetch = ssh_fetch(server, tmp_path)
    assert fetch().returncode == 0
    way.cut()
    started = time.monotonic()
    refused = fetch()
    assert refused.returncode != 0
    assert b"unavailable for a moment" in refused.stderr
    assert time.monotonic() - started < SOON
    way.open()
    back = time.monotonic()
    while fetch().returncode != 0:
        assert time.monotonic() - back < SOON, "it does not serve again"
