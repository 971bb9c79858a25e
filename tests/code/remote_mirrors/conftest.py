"""A project that is mirrored to a repository that git itself serves on this machine."""

import base64
import os
import subprocess
import threading
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from mujina.app import build, build_services
from mujina.settings import Settings
from tests.harness.client import Client
from tests.harness.sshd import USER, running_sshd

HOST_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl"
FINGERPRINT = "SHA256:+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU"
FIELDS = [
    "id", "enabled", "url", "update_status", "last_update_at", "last_update_started_at", "last_successful_update_at",
    "last_error", "only_protected_branches", "keep_divergent_refs", "auth_method", "host_keys",
]  # fmt: skip
SECRET = base64.b64encode(b"me:mirror-secret").decode()


class GitServer(BaseHTTPRequestHandler):
    """`git http-backend` over a folder, for those who know the password. `/moved` leads elsewhere."""

    def __init__(self, *args, folder, seen):
        self.folder, self.seen = folder, seen
        super().__init__(*args)

    def answer(self):
        self.seen.append((self.path, self.headers.get("Authorization")))
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length) if length else b"".join(self.chunks())
        if self.path.startswith("/moved"):
            self.head(302, [("Location", self.path.replace("/moved", "/target"))])
        elif self.headers.get("Authorization") != f"Basic {SECRET}":
            self.head(401, [("WWW-Authenticate", 'Basic realm="mirror"')])
        else:
            self.serve(body)

    def serve(self, body):
        path, _, query = self.path.partition("?")
        done = subprocess.run(
            ["git", "http-backend"], input=body, capture_output=True, check=True,
            env={**os.environ, "GIT_PROJECT_ROOT": str(self.folder), "GIT_HTTP_EXPORT_ALL": "1", "PATH_INFO": path,
                 "QUERY_STRING": query, "REQUEST_METHOD": self.command, "REMOTE_USER": "me",
                 "CONTENT_TYPE": self.headers.get("Content-Type") or "",
                 "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding") or ""},
        ).stdout  # fmt: skip
        head, _, content = done.partition(b"\r\n\r\n")
        fields = dict(line.split(": ", 1) for line in head.decode().split("\r\n"))
        self.head(int(fields.pop("Status", "200").split()[0]), fields.items(), content)

    def do_GET(self):
        self.answer()

    def do_POST(self):
        self.answer()

    def chunks(self):
        while self.headers.get("Transfer-Encoding") == "chunked" and (size := int(self.rfile.readline(), 16)):
            yield self.rfile.read(size)
            self.rfile.readline()

    def head(self, status, fields, content=b""):
        self.send_response(status)
        for name, value in fields:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format, *args):
        pass


class Target:
    """The repository that a mirror pushes to."""

    def __init__(self, folder, port, seen):
        self.folder, self.authority, self.seen = folder / "target.git", f"127.0.0.1:{port}", seen
        self.url = f"http://me:mirror-secret@{self.authority}/target.git"

    def git(self, *words):
        done = subprocess.run(["git", "--git-dir", str(self.folder), *words], check=True, capture_output=True)
        return done.stdout.decode().strip()

    @property
    def refs(self):
        lines = self.git("for-each-ref", "--format=%(refname) %(objectname)").splitlines()
        return dict(line.split() for line in lines)


@pytest.fixture
def target(tmp_path):
    seen = []
    subprocess.run(["git", "init", "-q", "--bare", str(tmp_path / "target.git")], check=True)
    subprocess.run(["git", "--git-dir", str(tmp_path / "target.git"), "config", "http.receivepack", "true"], check=True)
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(GitServer, folder=tmp_path, seen=seen))
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()  # seconds that its end takes
    yield Target(tmp_path, server.server_port, seen)
    server.shutdown()
    server.server_close()


class SshTarget(Target):
    """The repository over SSH, for those whose public key is accepted, or who know the password."""

    def __init__(self, folder, sshd):
        super().__init__(folder, sshd.port, [])
        self.sshd, self.host_key, self.accept = sshd, sshd.host_key, sshd.accept
        self.url = f"ssh://{USER}@{self.authority}{self.folder}"

    @property
    def tried(self):
        return self.sshd.tried


@pytest.fixture
def ssh_target(tmp_path):
    """An SSH server that git's own programs are behind."""
    subprocess.run(["git", "init", "-q", "--bare", str(tmp_path / "target.git")], check=True)
    with running_sshd(tmp_path / "sshd") as sshd:
        yield SshTarget(tmp_path, sshd)


def client_of(cast, stage, database, *allowed):
    settings = Settings(
        data=stage.folder, jobs="inline", external_url="http://mujina.test", password_kilobytes=64,
        outbound_allow=allowed,
    )  # fmt: skip
    return Client(build(build_services(settings, database)), stage.loop, cast.owner.token)


@pytest.fixture
def ssh_owner(cast, stage, database, ssh_target):
    """The owner at an instance that may talk to the target over SSH."""
    return client_of(cast, stage, database, ssh_target.authority)


@pytest.fixture
def owner(cast, stage, database, target):
    """The owner at an instance that may talk to the target, with a project of two branches and a tag."""
    return client_of(cast, stage, database, target.authority)


@pytest.fixture
def project(request):
    """A project of the owner whom the test asks for."""
    owner = request.getfixturevalue("ssh_owner" if "ssh_owner" in request.fixturenames else "owner")
    made = owner.post("/projects", name="source", initialize_with_readme=True, default_branch="main").json
    at = f"/projects/{made['id']}"
    owner.post(f"{at}/repository/branches", branch="work", ref="main")
    owner.post(f"{at}/repository/tags", tag_name="v1", ref="main")
    return at
