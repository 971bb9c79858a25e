"""The proxies of `docs/operating.md`, with TLS in front of a server: each runs the block of the document."""

import http.client
import json
import os
import re
import shutil
import signal
import socket
import ssl
import subprocess
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.git.forge import Copy
from tests.harness.certificates import certify
from tests.harness.ports import free_port
from tests.harness.running import ROOT, RunningServer

PATH = f"{os.environ['PATH']}:/usr/sbin"
PROXIES = ["nginx", "caddy", "haproxy"]
NGINX = """
daemon off; user root; pid nginx.pid; events {}
http { access_log off; client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path f; uwsgi_temp_path u;
scgi_temp_path s; ssl_certificate ../server.pem; ssl_certificate_key ../server.key; %s }
"""
"""What a machine has around the block. A process that is not root ignores `user`."""
FIRST, SECOND = b"a" * 8_000_000, b"b" * 4_000_000
"""More than an API request may have. The store writes 5 MB at a time."""


@dataclass
class Proxy:
    """One of them in front of the server."""

    name: str
    folder: Path
    port: int
    ssh_port: int
    process: subprocess.Popen[bytes]

    @contextmanager
    def connected(self) -> Generator[http.client.HTTPSConnection]:
        context = ssl.create_default_context(cafile=self.folder.parent / "authority.pem")
        connection = http.client.HTTPSConnection("127.0.0.1", self.port, timeout=180, context=context)
        try:
            yield connection
        finally:
            connection.close()

    def ask(self, verb: str, path: str, body: object = None, **headers: str) -> tuple[int, bytes]:
        text = None if body is None else json.dumps(body)
        with self.connected() as connection:
            connection.request(verb, path, text, {"Content-Type": "application/json", **headers})
            response = connection.getresponse()
            return response.status, response.read()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    folder = tmp_path_factory.mktemp("behind")
    certify(folder)
    pair = [(folder / f"server.{end}").read_text() for end in ("pem", "key")]
    (folder / "git.example.com.pem").write_text("".join(pair))
    settings = {"MUJINA_EXTERNAL_URL": "https://git.example.com", "MUJINA_TRUSTED_PROXIES": "127.0.0.1"}
    server = RunningServer(folder / "data", f"sqlite:///{folder}/mujina.db", environment=settings)
    server.data.mkdir()
    server.start()
    yield server
    server.kill()


def started(server: RunningServer, name: str, **replaced: str) -> Proxy:
    """The block of the document, with the ports and the certificate of this machine; returns when it listens."""
    folder = server.data.parent / f"{name}-{free_port()}"
    folder.mkdir()
    block = re.findall(rf"^```{name}\n(.*?)^```$", (ROOT / "docs/operating.md").read_text(), re.MULTILINE | re.DOTALL)[
        -1
    ]
    record = json.loads((server.data / "server.json").read_text())
    port, ssh_port = free_port(), free_port()
    here = {
        "127.0.0.1:8080": server.url.removeprefix("http://"), "127.0.0.1:2222": f"127.0.0.1:{record['ssh_port']}",
        "listen 443": f"listen 127.0.0.1:{port}", "bind :443": f"bind 127.0.0.1:{port}", "bind :22": f"bind 127.0.0.1:{ssh_port}",
        "\ngit.example.com {": f"\nhttps://127.0.0.1:{port} {{\n tls ../server.pem ../server.key",
        "/etc/haproxy": str(folder.parent),
        "    servers {": "    admin off\n    auto_https disable_redirects\n    servers {",
    }  # fmt: skip
    for old, new in {**here, **replaced}.items():
        block = block.replace(old, new)
    around, *command = {
        "nginx": (NGINX, "nginx", "-p", str(folder), "-e", "log", "-c", "conf"),
        "caddy": ("%s", "caddy", "run", "--adapter", "caddyfile", "--config", "conf"),
        "haproxy": ("%s", "haproxy", "-db", "-f", "conf"),
    }[name]
    (folder / "conf").write_text(around % block)
    program = shutil.which(command[0], path=PATH)
    assert program, f"{name} is missing: `make packages` installs it"
    environment = {"PATH": PATH, "HOME": str(folder)}
    with (folder / "output").open("wb") as out:
        # It ends with this process, however that ends.
        process = subprocess.Popen(
            ["setpriv", "--pdeathsig", "KILL", program, *command[1:]],
            cwd=folder, env=environment, stdout=out, stderr=out,
        )  # fmt: skip
    while True:
        assert process.poll() is None, (folder / "output").read_text() + (folder / "conf").read_text()
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except OSError:
            time.sleep(0.02)
        else:
            return Proxy(name, folder, port, ssh_port, process)


@pytest.fixture(params=PROXIES)
def proxy(request: pytest.FixtureRequest, server: RunningServer) -> Iterator[Proxy]:
    proxy = started(server, request.param)
    yield proxy
    proxy.process.terminate()
    proxy.process.wait(60)


def test_the_documented_proxy_passes_everything_on(server: RunningServer, proxy: Proxy):
    auth = {"Private-Token": server.token}
    status, body = proxy.ask("POST", "/api/v4/projects", {"name": proxy.name}, **auth)
    assert status == 201, body
    project = json.loads(body)
    assert project["http_url_to_repo"] == f"https://git.example.com/root/{proxy.name}.git"
    assert proxy.ask("GET", f"/api/v4/projects/root%2F{proxy.name}", **auth)[0] == 200, "the path stays encoded"
    assert proxy.ask("GET", "/-/metrics")[0] in (403, 404)
    push_and_clone(server, proxy)
    upload_in_two_halves(server, proxy, auth)
    assert proxy.ask("GET", "/api/v4/version", **auth, **{"X-Forwarded-For": "192.0.2.6"})[0] == 200
    log = server.data.with_suffix(".1.log").read_text()
    assert '"address":"127.0.0.1"' in log
    assert "192.0.2.6" not in log, "the proxy says where a request comes from, not the client"
    if proxy.name == "haproxy":
        with socket.create_connection(("127.0.0.1", proxy.ssh_port)) as line:
            assert line.recv(8) == b"SSH-2.0-"


def push_and_clone(server: RunningServer, proxy: Proxy) -> None:
    """By git itself; the push is larger than git's buffer, so it is chunked."""
    environment = {
        "PATH": PATH, "HOME": str(proxy.folder), "GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0",
        "GIT_SSL_CAINFO": str(proxy.folder.parent / "authority.pem"),
        **{f"GIT_{role}_{key}": "a@b.c" for role in ("AUTHOR", "COMMITTER") for key in ("NAME", "EMAIL")},
    }  # fmt: skip
    url = f"https://root:{server.token}@127.0.0.1:{proxy.port}/root/{proxy.name}.git"
    one, other = (Copy(proxy.folder / name, environment) for name in ("one", "other"))
    for copy in (one, other):
        copy.folder.mkdir()
    one.do("init", "--quiet", "--initial-branch=master")
    tip = one.commit("Large", noise=os.urandom(2_000_000))
    one.do("push", "--quiet", url, "master")
    other.do("clone", "--quiet", url, ".")
    assert other.do("rev-parse", "HEAD") == tip


def upload_in_two_halves(server: RunningServer, proxy: Proxy, auth: dict[str, str]) -> None:
    """The server gets the first half before the client sends the second: nothing is collected on the way."""
    path = f"/api/v4/projects/root%2F{proxy.name}/packages/generic/large/1.0/file"
    with proxy.connected() as connection:
        connection.putrequest("PUT", path)
        for name, value in {**auth, "Content-Length": str(len(FIRST + SECOND))}.items():
            connection.putheader(name, value)
        connection.endheaders(FIRST)
        ends = time.monotonic() + 120
        while not any(size > 1_000_000 for size in server.files_in_use("packages")):
            assert time.monotonic() < ends, "nothing arrives before the request is whole"
            time.sleep(0.02)
        connection.send(SECOND)
        response = connection.getresponse()
        assert response.status == 201, response.read()
        response.read()
    assert proxy.ask("GET", path, **auth) == (200, FIRST + SECOND)


@pytest.mark.parametrize("name", PROXIES)
def test_the_documented_time_out_is_the_one_that_ends_a_silent_request(server: RunningServer, name: str):
    proxy = started(server, name, **{" 1h": " 1s"})
    os.kill(server.process.pid, signal.SIGSTOP)
    try:
        assert proxy.ask("GET", "/api/v4/version")[0] in (503, 504)
    finally:
        os.kill(server.process.pid, signal.SIGCONT)
        proxy.process.terminate()
        proxy.process.wait(60)
