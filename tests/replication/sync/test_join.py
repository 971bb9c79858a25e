"""The end of `mujina geo join`, when what answers is not the primary or does not know the code."""

import asyncio
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest

from mujina.kernel.errors import ApiError
from mujina.replication.sync.operations import join_primary
from mujina.settings import Settings

ANSWERS: list[tuple[int, bytes]] = []


class Answering(BaseHTTPRequestHandler):
    """Answers with the status and the body that the test has set."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        status, body = ANSWERS.pop()
        self.send_response(status)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


def refusal(url: str, tmp_path: Path) -> str:
    with pytest.raises(ApiError) as refused:
        asyncio.run(join_primary(Settings(data=tmp_path), url, "code", "1"))
    return "; ".join(refused.value.sentences)


def test_what_is_no_primary_is_refused_with_a_sentence(tmp_path):
    server = HTTPServer(("127.0.0.1", 0), Answering)
    Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/"
    try:
        for status, body in ((200, b"<html>"), (200, b"{}"), (404, b"Not found"), (502, b"[]")):
            ANSWERS.append((status, body))
            assert refusal(url, tmp_path) == f"What answers at {url} ({status}) is not a primary."
        ANSWERS.append((404, b'{"message": "404 The code is unknown, used or expired Not Found"}'))
        assert refusal(url, tmp_path) == (
            "The primary refused: 404 The code is unknown, used or expired Not Found. "
            "`mujina geo add-secondary` prints another code there, which works once."
        )
    finally:
        server.shutdown()
        server.server_close()
    assert refusal("http://primary.example:port/", tmp_path) == (
        "http://primary.example:port/ is not the address of a primary."
    )
    assert list(tmp_path.iterdir()) == []
