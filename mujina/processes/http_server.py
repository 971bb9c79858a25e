"""HTTP/1.1, served by granian inside the event loop of this process.

Granian's runtime thread reads and writes the sockets, so a slow or silent client never blocks the event loop.
"""

import asyncio
import socket
from collections.abc import Awaitable, Callable
from typing import Any

from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings
from granian.log import LogLevels
from granian.net import SocketHolder as UntypedSocketHolder  # pyright: ignore[reportPrivateImportUsage]
from granian.server.embed import Server

from mujina.processes.listener import BACKLOG, connection_limit
from mujina.settings import Settings

SocketHolder: Any = UntypedSocketHolder  # the stub lacks its constructor
Application = Callable[..., Awaitable[None]]


class HttpServer(Server):
    """Serves a socket that is already listening. After `stop()`, `run()` returns when running requests have finished."""

    def __init__(self, application: Application, listener: socket.socket, settings: Settings) -> None:
        self._application = application
        self._requests: set[asyncio.Task[Any]] = set()
        self._cancelled = False
        super().__init__(
            self._serve_request,
            interface=Interfaces.ASGINL,  # no lifespan: the process itself opens and closes shared resources
            http=HTTPModes.http1,
            websockets=False,
            backlog=BACKLOG,
            # This limits connections, not requests: with a low limit idle clients would block others.
            backpressure=connection_limit(settings.max_connections),
            http1_settings=HTTP1Settings(
                header_read_timeout=settings.header_seconds * 1_000,
                max_buffer_size=settings.max_header_kilobytes * 1_024,
            ),
            log_level=LogLevels.error,
            log_dictconfig=_LOG_CONFIG,
        )
        self._listener = listener

    async def run(self) -> None:
        """Serve until `stop`, then finish running requests; cancellation cancels those too."""
        serving = asyncio.ensure_future(self.serve())
        try:
            await asyncio.shield(serving)
        except asyncio.CancelledError:
            self._cancelled = True
            for request in self._requests:
                request.cancel()
            await asyncio.wait([serving], timeout=1)
            raise

    async def _serve_request(self, scope: Any, receive: Any, send: Any) -> None:
        request = asyncio.current_task()
        assert request is not None
        self._requests.add(request)
        try:
            await self._application(scope, receive, send)
        except asyncio.CancelledError:
            if not self._cancelled:
                raise
        finally:
            self._requests.discard(request)

    def _init_shared_socket(self) -> None:
        """Use our socket, which the supervisor holds too: connections that wait during a restart of the worker survive."""
        self._shd = SocketHolder(self._listener.detach(), False, BACKLOG)


# Without its own handlers, granian's log lines reach ours.
_LOG_CONFIG: dict[str, Any] = {
    "formatters": {},
    "handlers": {},
    "loggers": {"_granian": {"propagate": True}},
}
