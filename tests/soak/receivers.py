"""Receivers of hooks on loopback, in a thread of their own: healthy, hanging, dripping and refusing ones."""

import asyncio
import json
import socket
import threading
import time
from asyncio import StreamReader, StreamWriter
from contextlib import closing, suppress
from typing import Any, NamedTuple, Self

from tests.adapters.receiver import answer, read_request


class ReceivedEvent(NamedTuple):
    issue_id: int
    key: str
    at: float


class Receivers:
    """Started and stopped as a context. `healthy()` … give the port of a further receiver of that kind."""

    def __init__(self) -> None:
        self.received: list[ReceivedEvent] = []
        self.different: set[tuple[str, int]] = set()
        """Each event once, however often it was delivered."""
        self.sick_calls = 0
        self._thread = threading.Thread(target=lambda: asyncio.run(self._run()), daemon=True)
        self._ready = threading.Event()
        self._refusing: list[socket.socket] = []

    def __enter__(self) -> Self:
        self._thread.start()
        self._ready.wait(30)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stopped.set)
        self._thread.join(30)
        for bound in self._refusing:
            bound.close()

    async def _run(self) -> None:
        self._loop, self._stopped = asyncio.get_running_loop(), asyncio.Event()
        self._servers: list[asyncio.Server] = []
        self._ready.set()
        await self._stopped.wait()
        for server in self._servers:
            server.close()

    def healthy(self) -> int:
        return self._listen(self._answer)

    def hanging(self) -> int:
        return self._listen(self._hang)

    def dripping(self) -> int:
        return self._listen(self._drip)

    def refusing(self) -> int:
        """Bound, but never listening."""
        bound = socket.socket()
        bound.bind(("127.0.0.1", 0))
        self._refusing.append(bound)
        return bound.getsockname()[1]

    def _listen(self, serve: Any) -> int:
        server = asyncio.run_coroutine_threadsafe(asyncio.start_server(serve, "127.0.0.1", 0), self._loop).result(30)
        self._servers.append(server)
        return server.sockets[0].getsockname()[1]

    async def _answer(self, reader: StreamReader, writer: StreamWriter) -> None:
        with suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError), closing(writer):
            request = await read_request(reader)
            body = json.loads(request.body)
            issue_id = body.get("object_attributes", {}).get("id", 0)
            key = request.headers["idempotency-key"]
            self.received.append(ReceivedEvent(issue_id, key, time.time()))
            self.different.add((key, issue_id))
            writer.write(answer(b"thanks"))
            await writer.drain()

    async def _hang(self, reader: StreamReader, writer: StreamWriter) -> None:
        self.sick_calls += 1
        with suppress(ConnectionError, asyncio.CancelledError), closing(writer):
            while await reader.read(65_536):
                pass

    async def _drip(self, _reader: StreamReader, writer: StreamWriter) -> None:
        self.sick_calls += 1
        with suppress(ConnectionError, asyncio.CancelledError), closing(writer):
            writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
            while True:
                writer.write(b".")
                await writer.drain()
                await asyncio.sleep(1)
