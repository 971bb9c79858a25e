"""A running server for hooks: requests to it, and `kill -9` of its workers."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tests.harness.running import ROOT, RunningServer


class ApiClient:
    """Sends a request again while no worker answers. Each thread keeps a connection: opening one costs more than a read."""

    def __init__(self, url: str, token: str) -> None:
        self._url, self._token = url, token
        self._connections = threading.local()
        self._opened: list[HTTPConnection] = []

    def __reduce__(self) -> tuple[type["ApiClient"], tuple[str, str]]:
        return ApiClient, (self._url, self._token)

    def ask(self, verb: str, path: str, /, **body: Any) -> Any:
        """The answer, once there is one: while workers are down, the request is sent again."""
        deadline = time.monotonic() + 60
        content = json.dumps(body).encode() if body else None
        headers = {"Private-Token": self._token, "Content-Type": "application/json"}
        while True:
            connection = self._connection()
            try:
                connection.request(verb, f"/api/v4{path}", content, headers)
                answer = connection.getresponse()
                found = answer.read()
            except (HTTPException, OSError):
                connection.close()  # the next request opens it again
                answer, found = None, b""
            if answer is not None and answer.status < HTTPStatus.BAD_REQUEST:
                return json.loads(found)
            if time.monotonic() > deadline:
                raise TimeoutError(f"{verb} {path}: {found[:200]!r}")
            time.sleep(0.05)

    def _connection(self) -> HTTPConnection:
        kept: HTTPConnection | None = getattr(self._connections, "kept", None)
        if kept is None:
            kept = self._connections.kept = HTTPConnection(urlsplit(self._url).netloc, timeout=30)
            self._opened.append(kept)
        return kept

    def close(self) -> None:
        """Close the connections of all threads."""
        for connection in self._opened:
            connection.close()


class HookServer:
    """`mujina serve` with two workers and a process for jobs; `others` are further `mujina worker` processes."""

    def __init__(self, folder: Path, database_url: str, *, others: int = 0) -> None:
        os.environ["MUJINA_OUTBOUND_ALLOW"] = "127.0.0.1"
        self.server = RunningServer(folder / "data", database_url, flags=("--workers", "2"), forked=False)
        self._folder, self._database_url, self._number = folder, database_url, others
        self._others: list[subprocess.Popen[bytes]] = []
        self._client: ApiClient | None = None
        self.kills = 0

    def start(self) -> None:
        self.server.start()
        self._client = self.client()
        self._others = [self._worker() for _ in range(self._number)]

    def stop(self) -> None:
        """As an operator does."""
        self._close()
        for each in self._others:
            each.terminate()
        self.server.stop()
        for each in self._others:
            each.wait(60)

    def kill(self) -> None:
        self._close()
        for each in self._others:
            each.kill()
            each.wait()
        self.server.kill()

    def kill_workers(self) -> None:
        """`kill -9` of every process but the supervisor, which starts them again."""
        for child in self._children():
            self._kill(child)
        for number in range(len(self._others)):
            self._kill_other(number)

    def kill_worker(self, number: int) -> None:
        """`kill -9` of one process after the other, in turn."""
        if turn := number % (len(self._others) + 1):
            self._kill_other(turn - 1)
        else:
            self._kill(self._children()[0])

    def _children(self) -> list[int]:
        """The processes of the server, in the order of their start: one that was killed comes last."""
        pid = self.server.process.pid
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]

    def _kill(self, pid: int) -> None:
        self.kills += 1
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)

    def _kill_other(self, number: int) -> None:
        self.kills += 1
        self._others[number].kill()
        self._others[number].wait()
        self._others[number] = self._worker()

    def _close(self) -> None:
        if self._client is not None:
            self._client.close()

    def client(self) -> ApiClient:
        return ApiClient(self.server.url, self.server.token)

    def ask(self, verb: str, path: str, /, **body: Any) -> Any:
        """The answer, once there is one."""
        assert self._client is not None, "it was not started"
        return self._client.ask(verb, path, **body)

    def project(self, name: str) -> int:
        """The id of a new project."""
        return self.ask("POST", "/projects", name=name)["id"]

    def project_with_hook(self, name: str, port: int) -> int:
        """The id of a new project whose issues are told to the receiver at this port."""
        project = self.project(name)
        url = f"http://127.0.0.1:{port}/"
        self.ask("POST", f"/projects/{project}/hooks", url=url, issues_events=True, push_events=False)
        return project

    def _worker(self) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "mujina", "worker", "--data", str(self._folder / "data")]
        environment = {**os.environ, "MUJINA_DATABASE_URL": self._database_url}
        log = (self._folder / "worker.log").open("a")
        with log:
            return subprocess.Popen(command, cwd=ROOT, env=environment, stdout=log, stderr=log)
