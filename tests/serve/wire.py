"""HTTP as bytes on a socket, for clients that behave as no library would."""

import json
import socket
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

PATIENCE = 180
"""Seconds after which a test gives up: a guard against hanging, not a measurement."""


@contextmanager
def connection(url: str, *, receive_buffer: int | None = None) -> Generator[socket.socket]:
    """A connection to the server, and nothing said yet."""
    parts = urlsplit(url)
    with socket.socket() as wire:
        if receive_buffer:
            wire.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        wire.settimeout(PATIENCE)
        wire.connect((parts.hostname, parts.port))
        yield wire


def head(method: str, target: str, *headers: str) -> bytes:
    """The head of a request, complete."""
    return "\r\n".join([f"{method} {target} HTTP/1.1", "Host: mujina.test", *headers, "", ""]).encode()


def answer(wire: socket.socket) -> tuple[int, dict[str, str], bytes]:
    """Read one whole answer: its status, headers and body."""
    stream = wire.makefile("rb", buffering=0)
    status = int(_line(stream).split()[1])
    headers: dict[str, str] = {}
    while line := _line(stream):
        name, _, value = line.partition(":")
        headers[name.lower()] = value.strip()
    body = bytearray(int(headers.get("content-length", 0)))
    left = memoryview(body)
    while left:
        received = wire.recv_into(left)
        assert received, "the answer broke off"
        left = left[received:]
    return status, headers, bytes(body)


def ask(
    url: str, target: str, *headers: str, method: str = "GET", body: bytes = b""
) -> tuple[int, dict[str, str], Any]:
    """One request on a connection of its own; the body read as JSON where it is."""
    with connection(url) as wire:
        wire.sendall(head(method, target, f"Content-Length: {len(body)}", "Connection: close", *headers) + body)
        status, output, content = answer(wire)
    return status, output, json.loads(content) if output.get("content-type") == "application/json" else content.decode()


def is_closed(wire: socket.socket) -> bool:
    """Wait until the server has closed the connection without having said anything; whether it did."""
    try:
        return wire.recv(1) == b""
    except ConnectionResetError:
        return True


def is_refused(url: str) -> bool:
    """Whether nobody listens any more; a connection cut off while it was waited for met the last who did."""
    try:
        with connection(url):
            return False
    except ConnectionResetError:
        return False
    except ConnectionRefusedError:
        return True


def eventually(happens: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not happens():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.02)


def _line(stream: Any) -> str:
    line = b""
    while not line.endswith(b"\r\n"):
        letter = stream.read(1)
        assert letter, "the answer broke off"
        line += letter
    return line.decode("latin-1").strip()
