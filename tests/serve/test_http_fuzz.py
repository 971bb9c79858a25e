"""The HTTP server and what strangers may send: the pieces in which it arrives change nothing, and nothing remains of it."""

import asyncio
import json
import random
import re
from typing import Any

import pytest

from mujina.processes import listener
from mujina.processes.http_server import HttpServer
from mujina.settings import Settings

CASES = 100
METHODS = (b"GET", b"GET", b"POST", b"POST", b"HEAD", b"BREW", b"CONNECT", b"get", b"")
TARGETS = (b"/", b"/", b"/a%2Fb?c#d", "/é".encode(), b"http://a.test?x", b"*", b"//a//b", b"/ b", b"a.test:80", b"")
VERSIONS = (b"HTTP/1.1", b"HTTP/1.1", b"HTTP/1.1", b"HTTP/2.0", b"HTTP/1", b"")
HEADERS = (
    b"Content-Length: 3", b"Content-Length: 0", b"Content-Length: 9", b"Content-Length: -1", b"Transfer-Encoding: chunked",
    b"transfer-encoding: CHUNKED", b"Transfer-Encoding: gzip", b"Connection: Upgrade", b"Upgrade: h2c",
    b"Expect: 100-continue", b"X: y", b"X : y", b" folded", b"X:", b": y", "X: é".encode(), b"X: \0", b"X: " + b"x" * 70_000,
)  # fmt: skip
BODIES = (
    b"",
    b"abc",
    b"3\r\nabc\r\n0\r\n\r\n",
    b"0\r\n\r\n",
    b"3;x\r\nabc\r\n0\r\nX: y\r\n\r\n",
    b"zz\r\n",
    b"3\r\nab",
)
STRAY = b"\0\n\r :\xff"


def made_up(chance: random.Random) -> bytes:
    """A few requests, most of them wrong in some way."""
    sent = bytearray()
    for _ in range(chance.randint(1, 4)):
        sent += b" ".join(chance.choice(part) for part in (METHODS, TARGETS, VERSIONS))
        sent += b"\r\n" + b"".join(each + b"\r\n" for each in chance.sample(HEADERS, chance.randint(0, 3))) + b"\r\n"
        sent += chance.choice(BODIES)
    if chance.random() < 0.3:
        sent[chance.randrange(min(len(sent), 200))] = chance.choice(STRAY)
    return bytes(sent)


async def echo(scope: dict[str, Any], receive: Any, send: Any) -> None:
    body, message = b"", {"more_body": True}
    while message.get("more_body", False):
        message = await receive()
        body += message.get("body", b"gone")
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": repr((scope["raw_path"], scope["headers"], body)).encode()})


async def responses(address: tuple[str, int], pieces: list[bytes]) -> list[bytes]:
    """All responses to these pieces, without what may differ."""
    reader, writer = await asyncio.open_connection(*address)
    for piece in pieces:
        writer.write(piece)
        for _ in range(5):
            await asyncio.sleep(0)  # so that the server reads this piece before the next one is sent
    writer.write_eof()
    output = await asyncio.wait_for(reader.read(), 60)
    writer.close()
    # A method that is not known is told from nonsense only if the line arrives in one piece.
    output = re.sub(rb"HTTP/1.1 100 Continue\r\n\r\n|date: [^\r]*\r\n", b"", output)
    output = output.replace(b"405 Method Not Allowed", b"400 Bad Request").replace(b"length: 34", b"length: 27")
    return re.split(rb"(?=HTTP/1\.1 \d+ )", output)


def test_the_pieces_in_which_nonsense_arrives_change_no_response(capfd: pytest.CaptureFixture[str]):
    chance = random.Random(1)

    async def compare() -> None:
        [listening] = listener.bind("127.0.0.1", 0)
        server = HttpServer(echo, listening, Settings())
        running = asyncio.create_task(server.run())
        for _ in range(CASES):
            sent = made_up(chance)
            cut, end = sorted(chance.choices(range(min(len(sent), 300)), k=2))
            address = listening.getsockname()[:2]
            whole, parts = await asyncio.gather(
                responses(address, [sent]), responses(address, [sent[:cut], sent[cut:end], sent[end:]])
            )
            assert whole == parts, (sent, cut, end)
        server.stop()
        await asyncio.wait_for(running, 60)  # no connection and no request is left

    asyncio.run(compare())
    logged = [json.loads(line)["event"] for line in capfd.readouterr().out.splitlines()]
    assert logged == []
