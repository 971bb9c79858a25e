"""HTTP over TLS: what is refused is refused with a response, and a client that does not begin to speak keeps nobody."""

import asyncio
import socket
import ssl
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from mujina.processes import listener
from mujina.processes.http_server import HttpServer
from mujina.settings import Settings
from tests.harness.certificates import self_signed
from tests.serve.test_http_server import GET, echo, statuses_of


@pytest.fixture(scope="module")
def context(tmp_path_factory: pytest.TempPathFactory) -> ssl.SSLContext:
    file = tmp_path_factory.mktemp("tls") / "both.pem"
    file.write_text("".join(self_signed()))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file)
    return context


@asynccontextmanager
async def serving(context: ssl.SSLContext, **settings: Any) -> AsyncGenerator[tuple[str, int]]:
    """The address of a server, which has no connection left when it is stopped, and all slots."""
    [listening] = listener.bind("127.0.0.1", 0)
    server = HttpServer(echo, listening, Settings(**settings), context)
    running = asyncio.create_task(server.run())
    try:
        yield listening.getsockname()[:2]
    finally:
        server.stop()
        await asyncio.wait_for(running, 60)


async def response_to(address: tuple[str, int], sent: bytes) -> bytes:
    client = ssl.create_default_context()
    client.check_hostname, client.verify_mode = False, ssl.CERT_NONE
    reader, writer = await asyncio.open_connection(*address, ssl=client)
    writer.write(sent)
    try:
        return await asyncio.wait_for(reader.read(), 60)
    finally:
        writer.close()


@pytest.mark.parametrize(
    ("sent", "statuses"),
    [
        (b"\0\r\n\r\n", [400]),
        (GET.replace(b"\r\n\r\n", b"\r\nX: " + b"x" * 70_000 + b"\r\n\r\n"), [431]),
        (GET + b"\0\r\n\r\n", [200, 400]),
        (GET.replace(b"GET", b"POST").replace(b"\r\n\r\n", b"\r\nTransfer-Encoding: none\r\n\r\n"), [501]),
    ],
)
def test_a_refused_request_has_its_response(
    context: ssl.SSLContext, sent: bytes, statuses: list[int], caplog: pytest.LogCaptureFixture
):
    async def ask() -> bytes:
        async with serving(context) as address:
            return await response_to(address, sent)

    assert statuses_of(asyncio.run(ask())) == statuses
    assert caplog.text == ""


def test_handshakes_that_fail_leave_room_for_others(context: ssl.SSLContext):
    async def ask() -> bytes:
        async with serving(context, max_connections=1) as address:
            for _ in range(3):
                with socket.create_connection(address) as client:
                    client.sendall(GET)  # without TLS
                    assert await asyncio.to_thread(client.recv, 100) == b""
            return await response_to(address, GET.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))

    assert statuses_of(asyncio.run(ask())) == [200]


def test_a_client_that_never_begins_its_handshake_does_not_hold_up_a_stop(context: ssl.SSLContext):
    async def stop() -> bytes:
        async with serving(context, header_seconds=3_600) as address:
            reader, writer = await asyncio.open_connection(*address)
            await asyncio.sleep(0.05)
        try:
            return await reader.read()
        finally:
            writer.close()

    assert asyncio.run(stop()) == b""
