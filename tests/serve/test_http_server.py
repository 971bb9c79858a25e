"""The HTTP server with applications that misbehave, and with responses whose length is not known."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from mujina.processes import listener
from mujina.processes.http_server import HttpServer
from mujina.settings import Settings

Application = Callable[[dict[str, Any], Any, Any], Awaitable[None]]
GET = b"GET / HTTP/1.1\r\nHost: mujina.test\r\n\r\n"


def start(*headers: tuple[bytes, bytes]) -> dict[str, Any]:
    return {"type": "http.response.start", "status": 200, "headers": [*headers]}


def piece(body: bytes, *, more: bool = False) -> dict[str, Any]:
    return {"type": "http.response.body", "body": body, "more_body": more}


def sending(*messages: dict[str, Any], then: Exception | None = None) -> Application:
    async def application(_scope: dict[str, Any], _receive: Any, send: Any) -> None:
        for message in messages:
            await send(message)
        if then is not None:
            raise then

    return application


def output_of(application: Application, request: bytes = GET) -> bytes:
    """All that the server sends to a client that ends its side of the connection after the request."""

    async def exchange() -> bytes:
        [listening] = listener.bind("127.0.0.1", 0)
        host, port = listening.getsockname()[:2]
        server = HttpServer(application, listening, Settings())
        serving = asyncio.create_task(server.run())
        reader, writer = await asyncio.open_connection(host, port)
        writer.write(request)
        writer.write_eof()
        try:
            return await reader.read()
        finally:
            writer.close()
            server.stop()
            await serving

    return asyncio.run(exchange())


@pytest.mark.parametrize(
    "application",
    [
        sending(then=ValueError("unexpected")),
        sending(start(), then=ValueError("unexpected")),
        sending(start((b"location", b"/\r\nset-cookie: a=b")), piece(b"")),
        sending(start((b"location", b"/\nset-cookie: a=b")), piece(b"")),
        sending(),
    ],
    ids=["an exception", "an exception before the body", "two lines", "a line feed", "no response"],
)
def test_an_application_that_fails_before_it_responds_gives_a_500(application: Application):
    output = output_of(application)
    assert output.startswith(b"HTTP/1.1 500 Internal Server Error\r\n")
    assert b"set-cookie" not in output


def test_a_response_that_breaks_off_is_not_taken_for_a_whole_one():
    for application in (
        sending(start((b"content-length", b"10")), piece(b"half")),
        sending(start((b"content-length", b"10")), piece(b"half", more=True), then=ValueError("unexpected")),
        sending(start(), piece(b"half", more=True), then=ValueError("unexpected")),
    ):
        try:
            output = output_of(application)
        except ConnectionResetError:
            continue
        assert not output.endswith(b"0\r\n\r\n")
        assert b"content-length: 4" not in output


def test_no_more_is_sent_than_the_length_promises():
    output = output_of(sending(start((b"content-length", b"4")), piece(b"four and more")), GET * 2)
    assert [part[-4:] for part in output.split(b"HTTP/1.1 200 OK\r\n")[1:]] == [b"four", b"four"]


def test_the_end_of_a_stream_is_marked_as_the_client_understands_it():
    application = sending(start(), piece(b"one", more=True), piece(b"", more=True), piece(b"two"))
    chunks = output_of(application)
    assert b"transfer-encoding: chunked\r\n" in chunks
    assert chunks.endswith(b"\r\n\r\n3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n")
    plain = output_of(application, b"GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
    assert b"connection: close\r\n" in plain
    assert plain.endswith(b"\r\n\r\nonetwo")


def test_what_has_no_body_gets_none():
    whole = sending(start((b"content-length", b"3")), piece(b"one"))
    assert output_of(whole, GET.replace(b"GET", b"HEAD")).endswith(b"\r\n\r\n")
    empty = sending({**start(), "status": 204}, piece(b""))
    output = output_of(empty)
    assert output.startswith(b"HTTP/1.1 204 No Content\r\n")
    assert b"content-length" not in output


def test_a_request_ends_even_if_its_client_left_long_before_the_response():
    ended = asyncio.Event()

    async def long(_scope: dict[str, Any], receive: Any, send: Any) -> None:
        assert (await receive())["type"] == "http.request"
        while (await receive())["type"] != "http.disconnect":
            pass
        await send(start())
        for _ in range(20):
            await send(piece(b"x" * 1_000_000, more=True))
        await send(piece(b""))
        ended.set()

    async def leave() -> None:
        [listening] = listener.bind("127.0.0.1", 0)
        server = HttpServer(long, listening, Settings())
        serving = asyncio.create_task(server.run())
        _, writer = await asyncio.open_connection(*listening.getsockname()[:2])
        writer.write(GET)
        await writer.drain()
        writer.transport.abort()
        await ended.wait()
        server.stop()
        await serving

    asyncio.run(asyncio.wait_for(leave(), 60))
