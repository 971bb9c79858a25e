"""The HTTP server with applications that misbehave, and with responses whose length is not known."""

import asyncio
import re
import socket
import struct
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from threading import Timer
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


@asynccontextmanager
async def serving(application: Application, **settings: Any) -> AsyncGenerator[tuple[str, int]]:
    """The address of a server, which has no request and no connection left when it is stopped."""
    [listening] = listener.bind("127.0.0.1", 0)
    server = HttpServer(application, listening, Settings(**settings))
    running = asyncio.create_task(server.run())
    try:
        yield listening.getsockname()[:2]
    finally:
        server.stop()
        await asyncio.wait_for(running, 60)


def output_of(application: Application, *pieces: bytes) -> bytes:
    """All that the server sends to a client that sends these pieces, and then ends its side of the connection."""
    return outputs_of(application, pieces or (GET,))[0]


def outputs_of(application: Application, *clients: tuple[bytes, ...]) -> list[bytes]:
    async def exchange() -> list[bytes]:
        async with serving(application) as address:
            return await asyncio.gather(*[_output(address, pieces) for pieces in clients])

    return asyncio.run(exchange())


async def _output(address: tuple[str, int], pieces: tuple[bytes, ...]) -> bytes:
    reader, writer = await asyncio.open_connection(*address)
    for number, part in enumerate(pieces):
        if number:
            await asyncio.sleep(0.02)  # otherwise pieces arrive as one
        writer.write(part)
    writer.write_eof()
    try:
        return await reader.read()
    finally:
        writer.close()


def statuses_of(output: bytes) -> list[int]:
    return [int(status) for status in re.findall(rb"HTTP/1.1 (\d+) ", output)]


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


def test_a_body_that_cannot_be_read_gives_a_400_even_if_the_application_takes_its_client_for_gone():
    async def silent(_scope: dict[str, Any], receive: Any, _send: Any) -> None:
        assert (await receive())["type"] == "http.disconnect"

    output = output_of(silent, b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nno size\r\n")
    assert statuses_of(output) == [400]


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
    broken_off = sending(start(), piece(b"half", more=True), then=ValueError("unexpected"))
    with pytest.raises(ConnectionResetError):  # the end of the connection would be the end of the response
        output_of(broken_off, b"GET / HTTP/1.0\r\n\r\n")


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


def test_responses_without_a_body_have_none():
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
        try:
            await send(start())
            for _ in range(20):
                await send(piece(b"x" * 1_000_000, more=True))
            await send(piece(b""))
        finally:
            ended.set()

    async def leave() -> None:
        async with serving(long) as address:
            client = socket.create_connection(address)
            client.sendall(GET)
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            client.close()  # with a reset: otherwise the client might still read
            await ended.wait()

    asyncio.run(asyncio.wait_for(leave(), 60))


def test_a_client_that_left_during_the_request_leaves_nothing_behind(capfd: pytest.CaptureFixture[str]):
    """The kernel tells that the client has left while the response is written, in the middle of the request's body."""

    async def blocked(scope: dict[str, Any], _receive: Any, send: Any) -> None:
        time.sleep(0.1)  # noqa: ASYNC251 - the loop must not see the client leave
        if scope["path"] == "/response":
            await send(start())
            await send(piece(b"one"))

    async def leave(path: bytes) -> None:
        async with serving(blocked) as address:
            client = socket.create_connection(address)
            client.sendall(b"POST %b HTTP/1.1\r\nContent-Length: 3\r\n\r\na" % path)
            Timer(0.05, client.close).start()
            await asyncio.sleep(0.06)  # most of which the application blocks

    for path in (b"/response", b"/none"):
        asyncio.run(leave(path))
    assert "not connected" not in capfd.readouterr().err


async def echo(scope: dict[str, Any], receive: Any, send: Any) -> None:
    """Respond with the names of the headers and the body, a little later."""
    body, more = b"", True
    while more:
        message = await receive()
        body += message.get("body", b"gone")
        more = message.get("more_body", False)
    await asyncio.sleep(0.02)
    await send(start())
    await send(piece(b",".join(name for name, _ in scope["headers"]) + b" " + body))


CHUNKS = b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n"


def test_headers_after_the_body_are_none_of_the_request_and_bounded():
    assert output_of(echo, CHUNKS + b"Private-Token: a\r\n\r\n").endswith(b"\r\n\r\ntransfer-encoding a")
    assert output_of(echo, CHUNKS + b"X: ", *[b"x" * 100_000] * 5, b"\r\n\r\n").endswith(b"gone")
    assert output_of(echo, CHUNKS[:-3] + b"1;", *[b"x" * 100_000] * 5, b"\r\na\r\n0\r\n\r\n").endswith(b"gone")


def test_a_body_in_chunks_ends_a_connection_of_http_1_0():
    kept = CHUNKS.replace(b"/1.1\r\n", b"/1.0\r\nConnection: keep-alive\r\n") + b"\r\n"
    assert statuses_of(output_of(echo, kept + GET)) == [200]


def test_no_client_is_asked_for_a_body_in_the_middle_of_the_response():
    async def watching(_scope: dict[str, Any], receive: Any, send: Any) -> None:
        await receive()
        await send(start())
        await send(piece(b"one", more=True))
        watch = asyncio.create_task(receive())
        await asyncio.sleep(0)
        await send(piece(b"two"))
        await watch

    asked = b"POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n"
    assert output_of(watching, asked + b"a", b"").endswith(b"\r\n\r\n3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n")


def test_input_that_is_refused_twice_gets_one_response(caplog: pytest.LogCaptureFixture):
    many = b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 101 + b"\r\n"
    assert statuses_of(output_of(echo, many + b"GET /" + b"a" * 100_000)) == [431]
    assert caplog.text == ""


def test_more_requests_ahead_than_allowed_are_not_kept():
    assert statuses_of(output_of(sending(start(), piece(b"")), GET * 200)) == [200] * 101 + [429]


def test_a_request_is_the_same_in_whichever_pieces_it_arrives():
    sent = "GET /é?ü HTTP/1.1\r\nX: é\r\nContent-Length: 2\r\n\r\né".encode()
    pieces = [(sent[:place], sent[place:]) for place in range(1, len(sent))]
    for output, [first, _] in zip(outputs_of(echo, *pieces), pieces, strict=True):
        assert output.endswith("x,content-length é".encode()), first


def test_a_refusal_comes_after_the_responses_to_all_requests_before_it():
    async def long(scope: dict[str, Any], _receive: Any, send: Any) -> None:
        await send(start())
        await send(piece(b"x" * 8_000_000 if scope["path"] == "/long" else b"short"))

    async def read_late() -> bytes:
        async with serving(long) as address:
            reader, writer = await asyncio.open_connection(*address, limit=1_024)
            writer.write(GET.replace(b"/ ", b"/long "))
            await asyncio.sleep(0.05)
            writer.write(GET + b"\0\r\n\r\n")
            await asyncio.sleep(0.05)
            try:
                return await reader.read()
            finally:
                writer.close()

    assert statuses_of(asyncio.run(read_late())) == [200, 200, 400]


def test_as_many_connections_as_allowed_are_accepted_whenever_they_come():
    async def connect(steps: int) -> None:
        async with serving(echo, max_connections=2) as address:
            with socket.create_connection(address):
                for _ in range(steps):
                    await asyncio.sleep(0)
                reader, writer = await asyncio.open_connection(*address)
                writer.write(GET)
                assert await asyncio.wait_for(reader.readline(), 10) == b"HTTP/1.1 200 OK\r\n"
                writer.close()

    for steps in range(8):
        asyncio.run(connect(steps))


def test_a_canceled_server_accepts_nothing_more():
    async def cancel() -> None:
        [listening] = listener.bind("127.0.0.1", 0)
        running = asyncio.create_task(HttpServer(echo, listening, Settings()).run())
        reader, writer = await asyncio.open_connection(*listening.getsockname()[:2])
        writer.write(GET)
        await reader.readline()
        running.cancel()
        await asyncio.wait([running])
        await asyncio.sleep(0.02)
        _, late = await asyncio.open_connection(*listening.getsockname()[:2])
        await asyncio.sleep(0.02)
        accepted, _ = listening.accept()  # nobody has taken it
        for each in (accepted, listening, writer, late):
            each.close()

    asyncio.run(cancel())
