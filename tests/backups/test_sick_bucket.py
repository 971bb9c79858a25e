"""A bucket that answers errors, or breaks off its answers: what passes is waited for, and nothing half is taken for whole."""

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from datetime import timedelta
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Final

import pytest

from mujina.backups import buckets, targets
from mujina.backups.targets import open_target
from tests.backups.small_instance import SmallInstance, make_instance
from tests.cli.command import Result, mujina
from tests.harness.object_store import PORT, ObjectStore

WHOLE, ERROR, CUT = "whole", "error", "cut"
Fault = Callable[[str, int], str]
"""What happens to a request: by its method, and how many came before it."""
HOP: Final = {"connection", "transfer-encoding", "content-length"}


@pytest.fixture
def instance(tmp_path: Path, sqlite_schema: str, store: ObjectStore, monkeypatch: pytest.MonkeyPatch) -> SmallInstance:
    for name, value in store.environment.items():
        if name.startswith("AWS_"):
            monkeypatch.setenv(name, value)
    return make_instance(tmp_path, sqlite_schema)


@contextmanager
def faults(store: ObjectStore, monkeypatch: pytest.MonkeyPatch, fault: Fault) -> Generator[None]:
    """Meanwhile, requests to the store pass a proxy that answers some of them itself, or cuts off the answer."""
    count = iter(range(1_000_000))

    class Proxy(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def handle_request(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            outcome = fault(self.command, next(count))
            if outcome == ERROR:
                self.send_response(500)
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            upstream = HTTPConnection(store.host, PORT, timeout=60)
            upstream.request(self.command, self.path, body, dict(self.headers))  # the signature covers the Host
            answer = upstream.getresponse()
            content = answer.read()
            upstream.close()
            self.send_response(answer.status)
            for name, value in answer.getheaders():
                if name.lower() not in HOP:
                    self.send_header(name, value)
            length = answer.getheader("Content-Length") if self.command == "HEAD" else str(len(content))
            self.send_header("Content-Length", length or "0")
            self.end_headers()
            if outcome == CUT and len(content) > 1:
                self.wfile.write(content[: len(content) // 2])
                self.close_connection = True
            else:
                self.wfile.write(content)

        do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = handle_request  # noqa: N815 - their names are the server's

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with monkeypatch.context() as patch:
        patch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{server.server_port}")
        patch.setattr(buckets, "_RETRY_TIMEOUT", timedelta(seconds=1))
        try:
            yield
        finally:
            server.shutdown()
            server.server_close()


def run(command: str, url: str, folder: Path) -> Result:
    return mujina(*command.split(), url, "--data", str(folder))


def test_errors_that_pass_are_waited_for(instance: SmallInstance, store: ObjectStore, monkeypatch: pytest.MonkeyPatch):
    url = "s3://mujina/passing"
    with faults(
        store, monkeypatch, lambda method, number: (ERROR if method == "PUT" else CUT) if number % 2 else WHOLE
    ):
        assert run("backup", url, instance.data).code == 0
        assert run("backup verify", url, instance.data).code == 0
        done = run("restore", url, instance.restored)
        assert done.code == 0, done.err
    large = instance.content(instance.data)["files/uploads/large"]
    assert instance.content(instance.restored)["files/uploads/large"] == large


def test_a_bucket_that_takes_nothing_more_has_no_half_set(
    instance: SmallInstance, store: ObjectStore, monkeypatch: pytest.MonkeyPatch
):
    """At each request from which on the store only answers errors: the backup ends with a sentence, and runs again."""
    monkeypatch.setattr(targets, "STALE_SECONDS", 0)  # the lock cannot be removed, either, and is left for ten minutes
    url, ends = "s3://mujina/ending", 1
    while True:
        with faults(store, monkeypatch, lambda _, number, ends=ends: ERROR if number >= ends else WHOLE):
            done = run("backup", url, instance.data)
        if done.code == 0:
            break
        assert done.error.startswith(f"{url} cannot be used: "), done.err
        assert "Traceback" not in done.err
        ends += 2
    assert ends > 6
    assert run("backup --keep 1", url, instance.data).code == 0
    assert run("backup verify", url, instance.data).code == 0
    assert len(open_target(url).sizes("sets/")) == 1


def test_a_restoration_from_a_bucket_that_goes_away_is_run_again(
    instance: SmallInstance, store: ObjectStore, monkeypatch: pytest.MonkeyPatch
):
    url = "s3://mujina/restored"
    assert run("backup", url, instance.data).code == 0
    for ends in (2, 5, 7):
        with faults(store, monkeypatch, lambda _, number, ends=ends: ERROR if number >= ends else WHOLE):
            assert run("restore", url, instance.restored).error.startswith(f"{url} cannot be used: ")
    assert run("restore", url, instance.restored).code == 0
