"""One connection of HTTP/1.1: its bytes become requests, which are answered one after the other."""

import asyncio
import re
import socket
import struct
from collections import deque
from contextvars import Context
from dataclasses import dataclass, field
from http import HTTPStatus
from math import inf
from time import time
from typing import Final, cast

from httptools import (
    HttpParserCallbackError,
    HttpParserError,
    HttpParserInvalidMethodError,
    HttpParserUpgrade,
    HttpRequestParser,
)

from mujina.kernel.http.requests.log import Application
from mujina.kernel.monitoring.logs import log
from mujina.processes.http_exchange import HttpExchange, http_date, status_line
from mujina.processes.http_head import Headers, encoded, framing, has_unknown_coding, origin_form

MAX_HEADERS: Final = 100
MAX_BUFFERED: Final = 256 * 1024
"""Bytes of a body that may wait for the application, and of a response that may wait for the client."""
MAX_PIPELINED: Final = 100
"""Requests that may wait for the response to the current one: in memory, each is a hundred times as long as it was sent."""
LINGER_SECONDS: Final = 2.0

_ASGI = {"version": "3.0", "spec_version": "2.4"}
_UNKNOWN_METHOD = re.compile(rb"[A-Za-z-]{1,32} /[^\s]* HTTP/1\.[01]\r\n")
_RESET = struct.pack("ii", 1, 0)
"""Close a socket without what is left to send, and so that the client sees an error."""


@dataclass(eq=False)
class ServerState:
    """The state that the connections of a server share."""

    application: Application
    max_head: int
    """Bytes of a request line and headers."""
    header_seconds: float
    slots: asyncio.Semaphore
    """Connections that may still be opened."""
    secure: bool = False
    """Whether the connections are encrypted."""
    context: Context = field(default_factory=Context)
    """The context variables of every request."""
    stopping: bool = False
    connections: "set[HttpConnection]" = field(default_factory=set)
    requests: set[asyncio.Task[None]] = field(default_factory=set[asyncio.Task[None]])
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    """A connection or a request has ended."""


class HttpConnection(asyncio.Protocol):
    """Requests are handled in the order in which they arrive, the next one when the response before it is written."""

    __slots__ = (
        "_arriving", "_client", "_closing", "_current", "_dropping", "_eof", "_final_error", "_framing", "_head_size",
        "_headers", "_idle", "_in_head", "_in_line", "_loop", "_parser", "_paused", "_pipelined", "_raw_size", "_server",
        "_sockname", "_target", "deadline", "stalled", "transport",
    )  # fmt: skip

    def __init__(self, server: ServerState) -> None:
        self._server = server
        self._loop = asyncio.get_running_loop()
        self.deadline = self._loop.time() + server.header_seconds
        """When the connection ends unless its client has sent a head by then, or read the last response."""
        self._parser = HttpRequestParser(self)
        self._target = b""
        self._headers: list[tuple[bytes, bytes]] = []
        self._idle = True  # between two requests
        self._in_head = True
        self._in_line = False  # the first one of a head, of which a part has arrived
        self._head_size = self._raw_size = 0
        self._framing = b""
        """The headers that give the length of the body, in a request that offers another protocol."""
        self._arriving: HttpExchange | None = None
        """The request whose body has not arrived whole."""
        self._current: HttpExchange | None = None
        """The request that is handled."""
        self._pipelined = deque[HttpExchange]()
        """Requests that were sent before the response to the current one."""
        self._final_error: bytes | None = None
        self._dropping = False  # whatever else arrives
        self._closing = False  # no further response is written
        self._paused = self._eof = False
        self.stalled: asyncio.Future[None] | None = None
        """Done when the client has read most of what was sent."""

    # What the transport says

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)
        self.transport.set_write_buffer_limits(MAX_BUFFERED)
        self._client, self._sockname = (_address(transport, of) for of in ("peername", "sockname"))
        self._server.connections.add(self)
        if self._server.stopping:
            self._loop.call_soon(self.shut_down)

    def data_received(self, data: bytes) -> None:
        if self._dropping:
            return
        try:
            self._parse(data)
        except HttpParserCallbackError as error:
            log.error("a request could not be read", exc_info=error.__context__)
            self.abort()
        except HttpParserError as error:
            first = self._current is None and not self._pipelined and _UNKNOWN_METHOD.match(data)
            self._reject(405 if first and isinstance(error, HttpParserInvalidMethodError) else 400)
        else:
            if not self._idle:
                self._check_size(data)
            if not self._dropping and (
                self._pipelined or (self._arriving is not None and self._arriving.buffered > MAX_BUFFERED)
            ):
                self._paused = True
                self.transport.pause_reading()

    def _check_size(self, data: bytes) -> None:
        """Reject a head that is longer than allowed, or what is sent with a body in chunks and not part of it."""
        begins = self._raw_size == 0 and self._current is None
        self._in_line = self._in_head and (begins or self._in_line) and b"\n" not in data
        self._raw_size += len(data)
        # What came before the head in the same piece counts here as well.
        if self._raw_size > self._server.max_head + MAX_BUFFERED or (
            self._in_head and self._head_size > self._server.max_head
        ):
            self._reject(431)

    def _reject(self, status: int) -> None:
        if self._arriving is not None:
            self._arriving.cut_off()  # the application says so
            self._drop()
        elif not self._dropping:
            self.send_error(status)

    def eof_received(self) -> bool:
        """Keep the connection open for the response: a client may end its side after the request.

        Whether it still reads shows when something is written.
        """
        self._eof = True
        if self._arriving is not None:
            self._arriving.cut_off()
        return not self._server.secure and (self._current is not None or bool(self._pipelined))

    def pause_writing(self) -> None:
        self.stalled = self._loop.create_future()

    def resume_writing(self) -> None:
        self._let_write()
        if self._current is None:
            self._next()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - whatever the reason
        self._dropping = self._closing = self._eof = True
        self._paused = False
        self._let_write()
        for exchange in (self._current, self._arriving, *self._pipelined):
            if exchange is not None:
                exchange.cut_off()
        self._pipelined.clear()
        self._server.connections.discard(self)
        self._server.slots.release()
        self._server.changed.set()

    def _let_write(self) -> None:
        if self.stalled is not None:
            self.stalled.set_result(None)
            self.stalled = None

    # What the parser says

    def _parse(self, data: bytes) -> None:
        if (self._idle or self._in_line) and not data.isascii():
            data = encoded(data)
        while data:
            try:
                self._parser.feed_data(data)
            except HttpParserUpgrade as offer:  # of a protocol that is not spoken here: go on with this one
                data = data[offer.args[0] :]
                self._parser = HttpRequestParser(self)
                if self._framing:  # the parser has left the body out
                    self._parser.feed_data(b"POST / HTTP/1.1\r\n%b\r\n" % self._framing)
                    self._framing = b""
            else:
                return

    def on_message_begin(self) -> None:
        self._target, self._headers = b"", []
        self._idle, self._in_head = False, True
        self._head_size = self._raw_size = 0

    def on_url(self, url: bytes) -> None:
        self._target += url
        self._head_size += len(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        self._headers.append((name.lower(), value.rstrip(b" \t")))
        self._head_size += len(name) + len(value) + 4

    def on_headers_complete(self) -> None:
        self._in_head = False
        if self._dropping or self._framing:
            return
        target, version, headers = self._target, self._parser.get_http_version(), self._headers
        self._headers = []  # of the end of a body in chunks: they are not checked as those of the head are
        if self._head_size > self._server.max_head or len(headers) > MAX_HEADERS:
            self.send_error(431)
        elif version not in ("1.0", "1.1") or (not target.startswith(b"/") and (target := origin_form(target)) is None):
            self.send_error(400)
        elif has_unknown_coding(headers):
            self.send_error(501)
        elif len(self._pipelined) >= MAX_PIPELINED:
            self.send_error(429)
        else:
            self._add_request(target, version, headers)

    def _add_request(self, target: bytes, version: str, headers: Headers) -> None:
        path, _, query = target.partition(b"#")[0].partition(b"?")
        scope = {
            "type": "http", "asgi": _ASGI, "http_version": version, "method": self._parser.get_method().decode(),
            "scheme": "https" if self._server.secure else "http", "path": path.decode("latin-1"), "raw_path": path,
            "query_string": query, "root_path": "", "headers": headers, "client": self._client,
            "server": self._sockname,
        }  # fmt: skip
        exchange = self._arriving = HttpExchange(self, scope, keep_alive=self._parser.should_keep_alive())
        if version == "1.1":
            for name, value in headers:
                if name == b"expect" and value.lower() == b"100-continue":
                    exchange.expect_continue()
        elif any(name == b"transfer-encoding" for name, _ in headers):
            exchange.keep_alive = False  # who speaks HTTP/1.0 may see another end of this body
        if self._parser.should_upgrade():
            self._framing = framing(headers)
        self.deadline = inf
        if self._current is None and self.stalled is None:
            self._begin(exchange)
        else:
            self._pipelined.append(exchange)

    def on_body(self, body: bytes) -> None:
        if self._arriving is not None:
            self._arriving.add_body(body)
            self._raw_size = 0

    def on_message_complete(self) -> None:
        if self._framing:
            return
        self._idle = True
        if self._arriving is not None:
            self._arriving.end_body()
            if not self._arriving.keep_alive:
                self._dropping = True
            self._arriving = None

    # What exchanges say

    @property
    def stopping(self) -> bool:
        """Whether no further request is handled."""
        return self._server.stopping

    def resume_reading(self) -> None:
        """There is room for more of the body."""
        if self._paused and not self._pipelined:
            self._paused = False
            self.transport.resume_reading()

    def finished(self, exchange: HttpExchange) -> None:
        """The response is written."""
        self._current = None
        if exchange.last:
            self._close()
        elif self.stalled is None:
            self._next()

    def send_error(self, status: int) -> None:
        """Respond without the application, and end the connection."""
        body = b'{"error":"%d %b"}' % (status, HTTPStatus(status).phrase.encode())
        response = (
            b"%bcontent-type: application/json\r\ncontent-length: %d\r\nconnection: close\r\ndate: %b\r\n\r\n%b"
            % (status_line(status), len(body), http_date(int(time())), body)
        )
        self._drop()
        # Of a request that the application ended without a response, this is the response.
        others_first = bool(self._pipelined) if self._current is None else not self._current.complete
        if others_first:
            self._final_error = response
        else:
            self._close_with(response)

    def abort(self) -> None:
        """End the connection at once: the client sees that the response is not whole."""
        if not self.transport.is_closing():
            self.transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
        self.transport.abort()

    def give_up(self) -> None:
        """The client has had its time."""
        self._drop()
        self._closing = True
        self.transport.close()

    def shut_down(self) -> None:
        """End the connection now, or after the response to the request that is handled."""
        if self._current is None:
            self._close()

    def _begin(self, exchange: HttpExchange) -> None:
        self._current = exchange
        self._server.requests.add(self._loop.create_task(self._run(exchange), context=self._server.context.copy()))

    async def _run(self, exchange: HttpExchange) -> None:
        try:
            await self._server.application(exchange.scope, exchange.receive, exchange.send)
        except Exception as error:  # noqa: BLE001 - the client gets a response in any case
            log.error("request failed", path=exchange.scope["path"], exc_info=error)
        finally:
            request = asyncio.current_task()
            assert request is not None
            self._server.requests.discard(request)
            exchange.end()
            self._server.changed.set()

    def _next(self) -> None:
        if self._closing:
            return
        if self._pipelined and not self._server.stopping:
            self._begin(self._pipelined.popleft())
        elif self._final_error is not None:
            self._close_with(self._final_error)
        elif self._eof or self._server.stopping:
            self._close()
        else:
            self.deadline = self._loop.time() + self._server.header_seconds
        self.resume_reading()

    def _drop(self) -> None:
        """Whatever else is sent is not read as a request."""
        self._dropping = True
        self.deadline = inf

    def _close_with(self, response: bytes) -> None:
        if not self.transport.is_closing():
            self.transport.write(response)
        self._close(linger=True)

    def _close(self, *, linger: bool = False) -> None:
        """End the connection. What the client still sends is read for a moment: otherwise it would miss the response."""
        self._drop()
        self._closing = True
        self._current = None
        self._pipelined.clear()
        linger = linger or self._arriving is not None or self._paused
        if not linger or self._eof or self.transport.is_closing():
            self.transport.close()
            return
        self._arriving = None
        self._paused = False
        self.transport.resume_reading()
        try:
            if self.transport.can_write_eof():  # TLS cannot end one side only
                self.transport.write_eof()
        except OSError:  # the client has left without reading
            self.transport.abort()
        else:
            self.deadline = self._loop.time() + LINGER_SECONDS


def _address(transport: asyncio.BaseTransport, of: str) -> tuple[str, int]:
    address = transport.get_extra_info(of)  # of IPv6 it has four parts; of a client that left already, none
    return (address[0], address[1]) if address else ("", 0)
