"""HTTP/1.1 by granian inside the event loop of this process.

Its runtime thread reads and writes; a slow or silent client occupies a connection there, never the event loop.
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

from mujina.processes.listener import BACKLOG, room_for_connections
from mujina.settings import Settings

SocketHolder: Any = UntypedSocketHolder  # the stub lacks its constructor
Application = Callable[..., Awaitable[None]]


class HttpServer(Server):
    """Answers on a socket that listens already. After `stop()`, `run()` returns when running requests have ended."""

    def __init__(self, application: Application, listener: socket.socket, settings: Settings) -> None:
        self._application = application
        self._requests: set[asyncio.Task[Any]] = set()
        self._cut_off = False
        super().__init__(
            self._answer,
            interface=Interfaces.ASGINL,  # no lifespan: the process opens and closes what it shares
            http=HTTPModes.http1,
            websockets=False,
            backlog=BACKLOG,
            # Counts connections, not requests: too low, and idle clients would keep others out.
            backpressure=room_for_connections(settings.max_connections),
            http1_settings=HTTP1Settings(
                header_read_timeout=settings.header_seconds * 1_000,
                max_buffer_size=settings.max_header_kilobytes * 1_024,
            ),
            log_level=LogLevels.error,
            log_dictconfig=_PLAIN_LOGGERS,
        )
        self._listener = listener

    async def run(self) -> None:
        """Answer until `stop`, and then what has begun; when cancelled, cut that off."""
        serving = asyncio.ensure_future(self.serve())
        try:
            await asyncio.shield(serving)
        except asyncio.CancelledError:
            self._cut_off = True
            for request in self._requests:
                request.cancel()
            await asyncio.wait([serving], timeout=1)
            raise

    async def _answer(self, scope: Any, receive: Any, send: Any) -> None:
        request = asyncio.current_task()
        assert request is not None
        self._requests.add(request)
        try:
            await self._application(scope, receive, send)
        except asyncio.CancelledError:
            if not self._cut_off:
                raise
        finally:
            self._requests.discard(request)

    def _init_shared_socket(self) -> None:
        """Ours, which the supervisor holds too: clients who wait while a worker is started anew are not lost."""
        self._shd = SocketHolder(self._listener.detach(), False, BACKLOG)


# granian brings handlers of its own; without them its lines reach ours.
_PLAIN_LOGGERS: dict[str, Any] = {
    "formatters": {},
    "handlers": {},
    "loggers": {"_granian": {"propagate": True}},
}
