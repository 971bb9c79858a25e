"""An instance on several nodes: servers and workers that share PostgreSQL, a folder and an object store, nginx in front."""

import os
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.request import urlopen

import psycopg

from tests.harness.mounts import mounting
from tests.harness.object_store import ObjectStore
from tests.harness.running import ROOT, RunningServer

NODES, WORKERS = 3, 2
SETTINGS = {
    "timezone": "UTC",
    "lock_timeout": "3s",
    "jit": "off",
    "random_page_cost": "1.1",
    "parallel_setup_cost": "1e9",
}
"""Settings of the role, because a pooler passes none on: docs/scaling.md."""
_NGINX = """
daemon off; pid nginx.pid; error_log nginx.log; worker_processes 1;
events { worker_connections 512; }
http {
    access_log off; client_body_temp_path temp; proxy_temp_path temp; fastcgi_temp_path temp; uwsgi_temp_path temp;
    scgi_temp_path temp; client_max_body_size 0;
    upstream nodes { %s keepalive 16; }
    server {
        listen 127.0.0.1:%d;
        location / {
            proxy_pass http://nodes; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_set_header Host $http_host;
            proxy_set_header X-Forwarded-For $remote_addr; proxy_request_buffering off; proxy_connect_timeout 1s;
        }
    }
}
"""


class Cluster:
    """Every node sees the shared folder as a mount of its own. Parts are killed and started again by their names."""

    def __init__(self, place: Path, database_url: str, pooler_url: str | None) -> None:
        self._place = place
        self.shared = place / "shared"
        self.shared.mkdir(mode=0o700)
        self.store = ObjectStore(place / "store")
        self._environment = self.store.environment | {
            "MUJINA_OUTBOUND_ALLOW": "127.0.0.1",
            "MUJINA_DATABASE_URL": database_url,
        }
        if pooler_url is not None:
            self._environment["MUJINA_DATABASE_POOLER_URL"] = pooler_url
        self.nodes = [self._node(number, database_url) for number in range(1, NODES + 1)]
        self._workers: dict[int, subprocess.Popen[bytes]] = {}
        self.port = free_port()
        self._nginx: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Returns when nginx and all nodes answer."""
        self.store.start()
        for node in self.nodes:
            node.start()
        for number in range(WORKERS):
            self._workers[number] = self._worker(number)
        self._start_nginx()

    def close(self) -> None:
        for worker in self._workers.values():
            worker.kill()
            worker.wait()
        for node in self.nodes:
            if node in RunningServer.running:
                node.kill()
        if self._nginx is not None:
            self._nginx.terminate()
            self._nginx.wait()
        self.store.kill()

    def restart_node(self, number: int) -> None:
        """`kill -9`, and a new start as a supervisor of services does."""
        self.nodes[number].kill()
        time.sleep(1)
        self.nodes[number].start()

    def restart_worker(self, number: int) -> None:
        self._workers[number].kill()
        self._workers[number].wait()
        self._workers[number] = self._worker(number)

    def _node(self, number: int, database_url: str) -> RunningServer:
        data = self._place / f"node{number}"
        data.mkdir()
        mount = mounting(f'mount --bind "{self.shared}" "{data}"')
        return RunningServer(
            data, database_url, port=free_port(), wrapper=mount, forked=False, environment=self._environment
        )

    def _worker(self, number: int) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "mujina", "worker", "--data", str(self.shared)]
        with (self._place / f"worker{number}.log").open("a") as log:
            return subprocess.Popen(command, cwd=ROOT, env=os.environ | self._environment, stdout=log, stderr=log)

    def _start_nginx(self) -> None:
        home = self._place / "nginx"
        home.mkdir()
        servers = " ".join(f"server 127.0.0.1:{node.port} max_fails=1 fail_timeout=1s;" for node in self.nodes)
        (home / "nginx.conf").write_text(_NGINX % (servers, self.port))
        program = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin") or "nginx"
        self._nginx = subprocess.Popen([program, "-p", str(home), "-e", "nginx.log", "-c", "nginx.conf"])
        while not answers(f"{self.url}/-/readiness"):
            assert self._nginx.poll() is None, (home / "nginx.log").read_text()
            time.sleep(0.1)


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def answers(url: str) -> bool:
    try:
        with urlopen(url, timeout=10):
            return True
    except (HTTPError, URLError, OSError):
        return False


def prepare_role(url: str) -> None:
    """The settings of sessions that come through a pooler."""
    with psycopg.connect(url, autocommit=True) as connection:
        for name, value in SETTINGS.items():
            connection.execute(f"ALTER ROLE CURRENT_USER SET {name} = '{value}'".encode())
