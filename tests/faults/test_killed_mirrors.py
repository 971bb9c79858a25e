"""Mirrors and imports that `kill -9` ends half way are completed after the restart, and nothing of them is left behind."""

import base64
import os
import stat
import subprocess
import threading
from functools import partial
from http.server import ThreadingHTTPServer
from pathlib import Path

import pytest

from mujina.adapters.git.storage import RepositoryStorage
from tests.code.remote_mirrors.conftest import SECRET, GitServer
from tests.faults.test_dripping_imports import Person, until
from tests.harness.running import RunningServer
from tests.harness.sshd import USER, running_sshd

HALF = """#!/bin/sh
"$@" | {{ head -c 65536; : > '{folder}/begun'; while [ -e '{folder}/hold' ]; do sleep 0.1; done; cat; }}
"""
"""What packs objects for a fetch: it sends a part, and waits."""
BEFORE_REFS = """#!/bin/sh
: > '{folder}/begun'; while [ -e '{folder}/hold' ]; do sleep 0.1; done
"""
"""What checks a push that has arrived: it waits."""


def script(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text.format(folder=path.parent))
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def git(folder, *words, **options):
    done = subprocess.run(["git", "--git-dir", str(folder), *words], check=True, capture_output=True, **options)
    return done.stdout.decode().strip()


def fill(folder):
    """A repository whose pack is larger than what is sent before the kill."""
    git(folder, "init", "-q", "--bare")
    git(folder, "config", "http.receivepack", "true")
    blob = git(folder, "hash-object", "-w", "--stdin", input=os.urandom(300_000))
    tree = git(folder, "mktree", input=f"100644 blob {blob}\tfile\n".encode())
    identity = ("-c", "user.name=Me", "-c", "user.email=me@example.org")
    tip = git(folder, *identity, "commit-tree", tree, "-m", "First")
    git(folder, "update-ref", "refs/heads/main", tip)
    git(folder, "symbolic-ref", "HEAD", "refs/heads/main")
    return tip


class OtherServer:
    """Repositories over SSH and HTTP that stop half way while there is a file `hold` beside them."""

    def __init__(self, folder, monkeypatch):
        self.folder = folder
        self.repository = folder / "served" / "target.git"
        half = script(self.repository.parent / "half", HALF)
        settings = {"COUNT": "1", "KEY_0": "uploadpack.packObjectsHook", "VALUE_0": str(half)}
        for name, value in settings.items():
            monkeypatch.setenv(f"GIT_CONFIG_{name}", value)  # of the HTTP server, which is in this process
        words = " ".join(f"GIT_CONFIG_{name}='{value}'" for name, value in settings.items())
        self.command = f'env {words} git-shell -c "$SSH_ORIGINAL_COMMAND"'

    def begun(self):
        return (self.repository.parent / "begun").exists()

    def hold(self):
        (self.repository.parent / "hold").touch()

    def release(self):
        (self.repository.parent / "hold").unlink()


@pytest.fixture
def other(tmp_path, monkeypatch):
    return OtherServer(tmp_path, monkeypatch)


@pytest.fixture
def sshd(tmp_path, other):
    with running_sshd(tmp_path / "sshd", other.command) as running:
        yield running


@pytest.fixture
def web(other):
    """The port of the repositories over HTTP, for those who know the password."""
    handler = partial(GitServer, folder=other.repository.parent, seen=[])
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield server.server_port
    server.shutdown()
    server.server_close()


@pytest.fixture
def server(migrated_url, tmp_path):
    (tmp_path / "tmp").mkdir()
    environment = {"MUJINA_OUTBOUND_ALLOW": "127.0.0.1", "TMPDIR": str(tmp_path / "tmp")}
    running = RunningServer(tmp_path / "data", migrated_url, environment=environment)
    running.start()
    yield running
    running.kill()


def processes_of(port):
    """The processes that talk to the server at this port, with credentials in their environment."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            environment = (process / "environ").read_bytes()
        except OSError:
            continue  # it has ended
        if f'"port":{port},'.encode() in environment or f"=127.0.0.1:{port}:127.0.0.1".encode() in environment:
            found.append((process / "cmdline").read_bytes())
    return found


def kill_half_way(server, other, port):
    """Kill the server once the other one waits, and start it again, when the other one waits no more."""
    until(other.begun)
    assert processes_of(port)
    server.kill()
    until(lambda: not processes_of(port))
    other.release()
    server.start()


def check_nothing_is_left(server, project_id):
    """No lock, no file with a credential or a trace, and a whole repository."""
    assert list((server.data.parent / "tmp").iterdir()) == []
    repository = RepositoryStorage.of(server.data).repo_path(project_id)
    assert list(repository.rglob("*.lock")) == []
    assert git(repository, "fsck", "--connectivity-only", "--no-dangling", "--no-progress") == ""
    for path in server.data.rglob("*"):
        if path.is_file() and path.parent.name != "secrets":
            assert b"PRIVATE KEY" not in path.read_bytes(), path
    return repository


def import_status(person, project_id):
    found = person.ask("GET", f"/projects/{project_id}")
    return found["import_status"], found["import_error"]


@pytest.mark.parametrize("engine", ["postgres"], indirect=True)
def test_a_killed_push_to_a_mirror_is_repeated(server, other, sshd):
    git(other.repository, "init", "-q", "--bare")
    script(other.repository / "hooks" / "pre-receive", BEFORE_REFS.replace("{folder}", str(other.repository.parent)))
    root = Person(server)
    project = root.ask("POST", "/projects", name="source", initialize_with_readme=True)
    at = f"/projects/{project['id']}/remote_mirrors"
    url = f"ssh://{USER}@127.0.0.1:{sshd.port}{other.repository}"
    mirror = root.ask("POST", at, url=url, auth_method="ssh_public_key", host_keys=[sshd.host_key])
    at = f"{at}/{mirror['id']}"
    sshd.accept(root.ask("GET", f"{at}/public_key")["public_key"])
    other.hold()
    root.ask("PUT", at, enabled=True)
    kill_half_way(server, other, sshd.port)
    until(lambda: root.ask("GET", at)["update_status"] == "finished")
    assert root.ask("GET", at)["last_error"] is None
    repository = check_nothing_is_left(server, project["id"])
    assert git(other.repository, "show-ref") == git(repository, "show-ref", "--heads")


@pytest.mark.parametrize("engine", ["postgres"], indirect=True)
def test_a_killed_update_of_a_mirror_is_repeated(server, other, web):
    tip = fill(other.repository)
    root = Person(server)
    password = base64.b64decode(SECRET).decode()
    other.hold()
    url = f"http://{password}@127.0.0.1:{web}/target.git"
    project = root.ask("POST", "/projects", name="copy", import_url=url, mirror=True)
    kill_half_way(server, other, web)
    until(lambda: import_status(root, project["id"]) == ("finished", None))
    repository = check_nothing_is_left(server, project["id"])
    assert git(repository, "rev-parse", "refs/heads/main") == tip


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
def test_a_killed_import_over_ssh_is_repeated(server, other, sshd):
    tip = fill(other.repository)
    root = Person(server)
    url = f"ssh://{USER}@127.0.0.1:{sshd.port}{other.repository}"
    project = root.ask("POST", "/projects", name="copy", import_url=url, import_host_keys=[sshd.host_key])
    until(lambda: import_status(root, project["id"])[0] == "failed")
    sshd.accept(root.ask("GET", f"/projects/{project['id']}/mirror/public_key")["public_key"])
    other.hold()
    root.ask("PUT", f"/projects/{project['id']}", mirror=True)
    kill_half_way(server, other, sshd.port)
    until(lambda: import_status(root, project["id"]) == ("finished", None))
    repository = check_nothing_is_left(server, project["id"])
    assert git(repository, "rev-parse", "refs/heads/main") == tip
