"""A server that leads git elsewhere: nothing is asked of the other host, and so no credential is sent there."""

import socket
import subprocess
import threading
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from mujina.adapters.git.transport import copying
from mujina.adapters.git.transport.copying import Remote
from tests.code.remote_mirrors.conftest import SECRET, GitServer, client_of

one_engine = pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
ELSEWHERE = "The address leads elsewhere, and redirects are not followed"


class Elsewhere(BaseHTTPRequestHandler):
    """The other host: it remembers who came."""

    def __init__(self, *args, came):
        self.came = came
        super().__init__(*args)

    def answer(self):
        self.came.append((self.path, self.headers.get("Authorization")))
        self.send_error(404)

    do_GET = do_POST = do_PUT = do_PROPFIND = do_MKCOL = do_LOCK = answer  # noqa: N815 - the names of the methods

    def log_message(self, format, *args):
        pass


class Misleading(GitServer):
    """The repository behind a server that leads elsewhere by the first part of the path."""

    def __init__(self, *args, other, **more):
        self.other = other
        super().__init__(*args, **more)

    def answer(self):
        _, way, rest = self.path.split("/", 2)
        self.path = f"/{rest}"
        lead = getattr(self, f"lead_by_{way}")
        if not lead(rest):
            super().answer()

    def to_other(self, status, rest):
        if length := int(self.headers.get("Content-Length") or 0):
            self.rfile.read(length)
        self.head(status, [("Location", f"{self.other}/{rest}")])
        return True

    def lead_by_first(self, rest):
        return self.to_other(301, rest)

    def lead_by_second(self, rest):
        """The first answer is an honest one."""
        return "service=" not in rest and self.to_other(307, rest)

    def lead_by_headers(self, rest):  # noqa: ARG002 - it leads the same way everywhere
        host = self.other.partition("//")[2]
        self.extra = [
            ("Alt-Svc", f'h2="{host}"; ma=3600, http/1.1="{host}"'),
            ("Refresh", f"0; url={self.other}/"),
            ("Set-Cookie", "a=b"),
        ]
        return False

    def lead_by_alternates(self, rest):
        """A server that knows no more than files: its objects are elsewhere."""
        file = Path(self.folder, rest.partition("?")[0])
        if "alternates" in rest:
            self.head(200, [("Content-Type", "text/plain")], f"{self.other}/objects/\n".encode())
        elif file.is_file() and "objects/" not in rest:
            self.head(200, [("Content-Type", "text/plain")], file.read_bytes())
        else:
            self.head(404, [])
        return True

    def head(self, status, fields, content=b""):
        super().head(status, [*fields, *getattr(self, "extra", [])], content)


class Version6(ThreadingHTTPServer):
    address_family = socket.AF_INET6


@pytest.fixture
def listen():
    """Starts a server for a handler; its authority."""
    servers = []

    def start(handler, host="127.0.0.1"):
        server = (Version6 if ":" in host else ThreadingHTTPServer)((host, 0), handler)
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        servers.append(server)
        return f"{f'[{host}]' if ':' in host else host}:{server.server_port}"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.fixture
def misled(tmp_path, listen, cast, stage, database):
    """The owner at an instance that may talk to both hosts, the address of the misleading one, and who came to the other."""
    came = []
    other = f"http://{listen(partial(Elsewhere, came=came))}"
    folder = tmp_path / "target.git"

    def git(*words, **options):
        done = subprocess.run(["git", "--git-dir", str(folder), *words], check=True, capture_output=True, **options)
        return done.stdout.decode().strip()

    git("init", "-q", "--bare")
    files = {
        ".gitmodules": f'[submodule "a"]\n\tpath = a\n\turl = {other}/a.git\n',
        ".lfsconfig": f"[lfs]\n\turl = {other}/lfs\n",
    }
    lines = [
        f"100644 blob {git('hash-object', '-w', '--stdin', input=text.encode())}\t{name}\n"
        for name, text in files.items()
    ]
    tree = git("mktree", "--missing", input=("".join(lines) + f"160000 commit {'1' * 40}\ta\n").encode())
    tip = git("-c", "user.name=Me", "-c", "user.email=me@example.org", "commit-tree", tree, "-m", "First")
    git("update-ref", "refs/heads/master", tip)
    git("update-server-info")
    blob = lines[0].split()[2]
    for name, value in {
        "http.receivepack": "true", "uploadpack.advertiseBundleURIs": "true", "bundle.version": "1", "bundle.mode": "any",
        "bundle.a.uri": f"{other}/a.bundle", "uploadpack.blobPackfileUri": f"{blob} {'2' * 40} {other}/a.pack",
    }.items():  # fmt: skip
        git("config", name, value)
    here = listen(partial(Misleading, folder=tmp_path, seen=[], other=other))
    owner = client_of(cast, stage, database, here, other.partition("//")[2])
    return owner, f"http://me:mirror-secret@{here}", came


@one_engine
@pytest.mark.parametrize(
    ("way", "expected"),
    [
        ("first", ("failed", ELSEWHERE)),
        ("second", ("failed", ELSEWHERE)),
        ("alternates", ("failed", "It could not be fetched")),
        ("headers", ("finished", None)),
    ],
)
def test_an_import_asks_nothing_of_another_host(misled, way, expected):
    owner, address, came = misled
    made = owner.post("/projects", name=way, import_url=f"{address}/{way}/target.git", mirror=True).json
    found = owner.get(f"/projects/{made['id']}").json
    assert (found["import_status"], found["import_error"]) == expected
    assert came == []


@one_engine
@pytest.mark.parametrize(
    ("way", "status"), [("first", "failed"), ("second", "failed"), ("alternates", "failed"), ("headers", "finished")]
)
def test_a_push_sends_nothing_to_another_host(misled, way, status):
    owner, address, came = misled
    made = owner.post("/projects", name=way, initialize_with_readme=True).json
    at = f"/projects/{made['id']}/remote_mirrors"
    mirror = owner.post(at, url=f"{address}/{way}/target.git", enabled=True).json
    assert owner.get(f"{at}/{mirror['id']}").json["update_status"] == status
    assert came == []


@one_engine
def test_a_server_is_reached_by_its_ipv6_address(tmp_path, listen, cast, stage, database):
    subprocess.run(["git", "init", "-q", "--bare", str(tmp_path / "target.git")], check=True)
    subprocess.run(["git", "--git-dir", str(tmp_path / "target.git"), "config", "http.receivepack", "true"], check=True)
    here = listen(partial(GitServer, folder=tmp_path, seen=[]), "::1")
    owner = client_of(cast, stage, database, here)
    made = owner.post("/projects", name="source", initialize_with_readme=True).json
    at, url = f"/projects/{made['id']}/remote_mirrors", f"http://me:mirror-secret@{here}/target.git"
    mirror = owner.post(at, url=url, enabled=True).json
    assert owner.get(f"{at}/{mirror['id']}").json["last_error"] is None
    copy = owner.post("/projects", name="copy", import_url=url).json
    assert owner.get(f"/projects/{copy['id']}").json["import_error"] is None


@one_engine
def test_git_connects_to_the_checked_address_whatever_the_name_resolves_to(stage, tmp_path, listen):
    """No name server knows this name: the address is the one that was checked."""
    subprocess.run(["git", "init", "-q", "--bare", str(tmp_path / "target.git")], check=True)
    seen = []
    port = listen(partial(GitServer, folder=tmp_path, seen=seen)).rpartition(":")[2]
    remote = Remote(f"http://mirror.invalid:{port}/target.git", f"mirror.invalid:{port}:127.0.0.1", f"Basic {SECRET}")
    assert stage.loop.run_until_complete(copying.remote_refs(remote)) == {}
    assert {authorization for _, authorization in seen} == {f"Basic {SECRET}"}
