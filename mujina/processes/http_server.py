"""HTTP/1.1 on the event loop of this process.

Servers that read sockets on threads of their own hand every request over to the loop, and wait for the interpreter's lock to
do so: a third of the processor time of a small request.
"""

import asyncio
import errno
import itertools
import socket
import ssl
from contextvars import copy_context
from typing import Final

from mujina.kernel.http.requests.log import Application
from mujina.processes.http_connection import HttpConnection, ServerState
from mujina.processes.listener import connection_limit
from mujina.settings import Settings

ACCEPTED_AT_ONCE: Final = 100
"""Connections that are accepted before the loop does something else."""
CHECK_SECONDS: Final = 1.0
"""Seconds between two looks at the deadlines of connections; each may stay open so much longer."""
HANDSHAKE_SECONDS: Final = 1.0
"""How long a server that stops waits for handshakes that have begun."""
RETRY_SECONDS: Final = 1.0
"""How long nothing is accepted if the machine has no file or memory left for a connection."""
_EXHAUSTED = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})


class HttpServer:
    """Serves a socket that is already listening. After `stop()`, `run()` returns when running requests have finished."""

    def __init__(
        self,
        application: Application,
        listener: socket.socket,
        settings: Settings,
        tls: ssl.SSLContext | None = None,
        *,
        ports: int = 1,
    ) -> None:
        """`ports` is the number of ports at which this process listens, with this one."""
        slots = asyncio.Semaphore(connection_limit(settings.max_connections, ports))
        self._state = ServerState(
            application, settings.max_header_kilobytes * 1_024, settings.header_seconds, slots, secure=tls is not None
        )
        self._tls = tls
        self._listener = listener
        self._opening = set[asyncio.Task[None]]()
        self._stop_asked = asyncio.Event()

    async def run(self) -> None:
        """Serve until `stop`, then finish running requests; cancellation cancels those too."""
        state = self._state
        state.context = copy_context()
        async with asyncio.TaskGroup() as tasks:
            accepting, checking = tasks.create_task(self._accept()), tasks.create_task(self._check_deadlines())
            try:
                await self._stop_asked.wait()
                accepting.cancel()
                await asyncio.wait([accepting, *self._opening], timeout=HANDSHAKE_SECONDS)
                for opening in self._opening:
                    opening.cancel()
                self._listener.close()
                for connection in [*state.connections]:
                    connection.shut_down()
                while state.connections or state.requests:
                    state.changed.clear()
                    await state.changed.wait()
            except asyncio.CancelledError:
                await self._cancel()
                raise
            finally:
                checking.cancel()

    async def _cancel(self) -> None:
        state = self._state
        state.stopping = True
        for request in [*state.requests]:
            request.cancel()
        for connection in [*state.connections]:
            connection.abort()
        if state.requests:
            await asyncio.wait(state.requests, timeout=1)

    def is_busy(self) -> bool:
        """Whether a request runs."""
        return bool(self._state.requests)

    def stop(self) -> None:
        """Accept nothing more."""
        self._state.stopping = True
        self._stop_asked.set()

    async def _accept(self) -> None:
        """Accept clients; further ones stay in the queue of the kernel until a connection ends."""
        loop, slots = asyncio.get_running_loop(), self._state.slots
        for number in itertools.count(1):
            await slots.acquire()
            try:
                client, _ = await loop.sock_accept(self._listener)
            except OSError as error:  # this client has left, unless the machine is exhausted
                slots.release()
                await asyncio.sleep(RETRY_SECONDS if error.errno in _EXHAUSTED else 0)
                continue
            opening = loop.create_task(self._open(client))
            self._opening.add(opening)
            opening.add_done_callback(self._opening.discard)
            if number % ACCEPTED_AT_ONCE == 0:
                await asyncio.sleep(0)

    async def _open(self, client: socket.socket) -> None:
        connection = HttpConnection(self._state)
        try:
            await asyncio.get_running_loop().connect_accepted_socket(
                lambda: connection,
                client,
                ssl=self._tls,
                ssl_handshake_timeout=self._state.header_seconds if self._tls else None,
            )
        except (OSError, asyncio.CancelledError):  # this client has left, speaks no TLS, or is too slow for a stop
            client.close()
            if connection not in self._state.connections:  # otherwise its end releases the slot
                self._state.slots.release()

    async def _check_deadlines(self) -> None:
        """End the connections whose time is over."""
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(CHECK_SECONDS)
            now = loop.time()
            for connection in [each for each in self._state.connections if each.deadline <= now]:
                connection.give_up()
