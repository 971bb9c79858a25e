"""HTTP/1.1 on the event loop of this process.

Servers that read sockets on threads of their own hand every request over to the loop, and wait for the interpreter's lock to
do so: a third of the processor time of a small request. uvicorn reads on the loop, but holds a connection that does not
finish its first head for ever, and costs twice as much per request.
"""

import asyncio
import errno
import socket
from collections.abc import Awaitable, Callable
from contextvars import Context, copy_context
from functools import partial
from typing import Any, Final

from mujina.kernel.logs import log
from mujina.processes.http_connection import HttpConnection
from mujina.processes.http_exchange import HttpExchange
from mujina.processes.listener import connection_limit
from mujina.settings import Settings

ACCEPTED_AT_ONCE: Final = 100
"""Connections that are accepted before the loop does something else."""
CHECK_SECONDS: Final = 1.0
"""Seconds between two looks at who has to send something; a connection may stay open so much longer than its limit."""
LINGER_SECONDS: Final = 2.0
RETRY_SECONDS: Final = 1.0
"""How long nothing is accepted if the machine has no file or memory left for a connection."""

Application = Callable[[dict[str, Any], Any, Any], Awaitable[None]]


class HttpServer:
    """Serves a socket that is already listening. After `stop()`, `run()` returns when running requests have finished."""

    def __init__(self, application: Application, listener: socket.socket, settings: Settings) -> None:
        self.stopping = False
        self.max_head = settings.max_header_kilobytes * 1_024
        self._application = application
        self._listener = listener
        self._header_seconds = settings.header_seconds
        self._limit = connection_limit(settings.max_connections)
        self._connections = set[HttpConnection]()
        self._opening = set[asyncio.Task[Any]]()
        self._requests = set[asyncio.Task[None]]()
        self._awaited: dict[HttpConnection, float] = {}
        """Connections that have to send a head, and since when; the first one first."""
        self._lingering: dict[HttpConnection, float] = {}
        self._accepting = False
        self._context = Context()
        self._stop_asked, self._ended = asyncio.Event(), asyncio.Event()

    async def run(self) -> None:
        """Serve until `stop`, then finish running requests; cancellation cancels those too."""
        self._loop = asyncio.get_running_loop()
        self._context = copy_context()
        self._accept_on()
        checking = self._loop.create_task(self._check())
        try:
            await self._stop_asked.wait()
            self._accept_no_more()
            self._listener.close()
            for connection in [*self._connections]:
                connection.shut_down()
            self._end_if_idle()
            await self._ended.wait()
        except asyncio.CancelledError:
            self.stopping = True
            self._accept_no_more()
            for request in [*self._requests]:
                request.cancel()
            for connection in [*self._connections]:
                connection.abort()
            if self._requests:
                await asyncio.wait(self._requests, timeout=1)
            raise
        finally:
            checking.cancel()

    def stop(self) -> None:
        """Accept nothing more."""
        self.stopping = True
        self._stop_asked.set()

    # What connections say

    def handle(self, exchange: HttpExchange) -> None:
        """Run the application for a request."""
        self._requests.add(self._loop.create_task(self._run(exchange), context=self._context.copy()))

    async def _run(self, exchange: HttpExchange) -> None:
        try:
            await self._application(exchange.scope, exchange.receive, exchange.send)
        except Exception as error:  # noqa: BLE001 - the client gets a response in any case
            log.error("request failed", path=exchange.scope["path"], exc_info=error)
        finally:
            request = asyncio.current_task()
            assert request is not None
            self._requests.discard(request)
            exchange.end()
            if self.stopping:
                self._end_if_idle()

    def opened(self, connection: HttpConnection) -> None:
        self._connections.add(connection)
        if self.stopping:
            self._loop.call_soon(connection.shut_down)

    def closed(self, connection: HttpConnection) -> None:
        self._connections.discard(connection)
        self._awaited.pop(connection, None)
        self._lingering.pop(connection, None)
        if self.stopping:
            self._end_if_idle()
        elif not self._accepting:
            self._accept_on()

    def awaits_head(self, connection: HttpConnection, *, awaits: bool) -> None:
        """Whether the client has to send the head of a request, for which its time is limited."""
        self._awaited.pop(connection, None)
        if awaits:
            self._awaited[connection] = self._loop.time()

    def lingers(self, connection: HttpConnection) -> None:
        """The connection ends as soon as the client has read what was sent, or a little later."""
        self._lingering[connection] = self._loop.time()

    async def _check(self) -> None:
        """End the connections whose time is over."""
        while True:
            await asyncio.sleep(CHECK_SECONDS)
            now = self._loop.time()
            for connections, seconds in ((self._awaited, self._header_seconds), (self._lingering, LINGER_SECONDS)):
                for connection in [each for each, since in connections.items() if since <= now - seconds]:
                    del connections[connection]
                    connection.give_up()

    def _end_if_idle(self) -> None:
        if not (self._connections or self._requests or self._opening):
            self._ended.set()

    # Accepting

    def _accept_on(self) -> None:
        if not self.stopping and not self._accepting:
            self._accepting = True
            self._loop.add_reader(self._listener, self._accept)

    def _accept_no_more(self) -> None:
        if self._accepting:
            self._accepting = False
            self._loop.remove_reader(self._listener)

    def _accept(self) -> None:
        """Accept who waits; further clients stay in the queue of the kernel until a connection ends."""
        for _ in range(ACCEPTED_AT_ONCE):
            if len(self._connections) + len(self._opening) >= self._limit:
                self._accept_no_more()
                return
            try:
                client, _ = self._listener.accept()
            except BlockingIOError:
                return
            except OSError as error:
                if error.errno in _EXHAUSTED:
                    self._accept_no_more()
                    self._loop.call_later(RETRY_SECONDS, self._accept_on)
                    return
                continue  # this client has left
            opening = self._loop.create_task(self._open(client), context=self._context)
            self._opening.add(opening)
            opening.add_done_callback(self._opened)

    async def _open(self, client: socket.socket) -> None:
        client.setblocking(False)
        try:
            await self._loop.connect_accepted_socket(partial(HttpConnection, self), client)
        except OSError:  # this client has left
            client.close()

    def _opened(self, opening: asyncio.Task[Any]) -> None:
        self._opening.discard(opening)
        if self.stopping:
            self._end_if_idle()
        elif not self._accepting and len(self._connections) + len(self._opening) < self._limit:
            self._accept_on()  # this one was counted twice, or has left


_EXHAUSTED = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})
