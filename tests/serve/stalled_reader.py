"""Serve a long answer to a client that takes none of it; ends when the client is cut off. Run by `test_slow_clients.py`."""

import asyncio
import socket
from typing import Any

from mujina.processes import listener
from mujina.processes.http_server import HttpServer
from mujina.processes.lifecycle import exit_now
from mujina.settings import Settings

listener.STALLED_MILLISECONDS = 500


async def main() -> None:
    ended = asyncio.Event()

    async def long(_scope: Any, _receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        try:
            for _ in range(100):
                await send({"type": "http.response.body", "body": b"x" * 1_000_000, "more_body": True})
        finally:
            ended.set()

    [listening] = listener.bind("127.0.0.1", 0)
    address = listening.getsockname()
    serving = asyncio.create_task(HttpServer(long, listening, Settings()).run())
    with socket.create_connection(address) as client:
        client.sendall(b"GET / HTTP/1.1\r\nHost: mujina.test\r\n\r\n")
        await ended.wait()
    serving.cancel()
    exit_now()


asyncio.run(main())
