"""One HTTP request and its response, as an ASGI application sees them."""

import asyncio
from collections.abc import Mapping
from email.utils import formatdate
from functools import lru_cache
from http import HTTPStatus
from time import time
from typing import Any, Protocol

from mujina.kernel.http.requests.log import ClientDisconnected

_DISCONNECT: Mapping[str, Any] = {"type": "http.disconnect"}
_CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
_STATUS_LINES = {each.value: f"HTTP/1.1 {each.value} {each.phrase}\r\n".encode() for each in HTTPStatus}


class ResponseConnection(Protocol):
    """The interface of the connection that an exchange needs."""

    transport: asyncio.Transport
    stalled: asyncio.Future[None] | None
    """Done when the client has read most of what was sent."""

    @property
    def stopping(self) -> bool:
        """Whether no further request is handled."""
        ...

    def resume_reading(self) -> None:
        """There is room for more of the body."""
        ...

    def finished(self, exchange: "HttpExchange") -> None:
        """The response is written."""
        ...

    def send_error(self, status: int) -> None:
        """Respond without the application, and end the connection."""
        ...

    def abort(self) -> None:
        """End the connection at once: the client sees that the response is not whole."""
        ...


class HttpExchange:
    """A request and its response, as an ASGI application sees them."""

    __slots__ = (
        "_arrival", "_awaits_continue", "_begun", "_bodiless", "_chunked", "_connection", "_given", "_left", "_pieces",
        "_start", "buffered", "complete", "gone", "keep_alive", "last", "scope", "whole",
    )  # fmt: skip

    def __init__(self, connection: ResponseConnection, scope: dict[str, Any], *, keep_alive: bool) -> None:
        self.scope = scope
        self.keep_alive = keep_alive
        """Whether the client wants to send further requests."""
        self.last = False
        """Whether the connection ends with this response; known once its head is written."""
        self.whole = False
        """Whether the whole body has arrived."""
        self.gone = False
        """Whether nothing more will arrive."""
        self.complete = False
        """Whether the whole response is written."""
        self.buffered = 0
        self._connection = connection
        self._pieces: list[bytes] = []
        self._given = False  # the whole body, to the application
        self._arrival: asyncio.Future[None] | None = None
        self._start: Mapping[str, Any] | None = None
        self._awaits_continue = False
        self._begun = self._bodiless = self._chunked = False
        self._left: int | None = None  # bytes of the response that its length promises

    def expect_continue(self) -> None:
        """The client sends the body only if it is asked to."""
        self._awaits_continue = True

    def add_body(self, piece: bytes) -> None:
        self._pieces.append(piece)
        self.buffered += len(piece)
        self._wake()

    def end_body(self) -> None:
        self.whole = True
        self._wake()

    def cut_off(self) -> None:
        """The client sends nothing more."""
        self.gone = True
        self._wake()

    def _wake(self) -> None:
        if self._arrival is not None and not self._arrival.done():
            self._arrival.set_result(None)

    async def receive(self) -> Mapping[str, Any]:
        """The next piece of the body, or that the client left."""
        while not (self._pieces or (self.whole and not self._given)):
            if self.gone or self.complete:
                return _DISCONNECT
            if self._awaits_continue and not (self.whole or self._begun):
                self._awaits_continue = False
                self._connection.transport.write(_CONTINUE)
            self._arrival = asyncio.get_running_loop().create_future()
            try:
                await self._arrival
            finally:
                self._arrival = None
        body = self._pieces[0] if len(self._pieces) == 1 else b"".join(self._pieces)
        self._pieces.clear()
        self.buffered = 0
        self._given = self.whole
        if not self.whole:
            self._connection.resume_reading()
        return {"type": "http.request", "body": body, "more_body": not self.whole}

    async def send(self, message: Mapping[str, Any]) -> None:
        """Send the next part of the response; `ClientDisconnected` if the client has left."""
        if self.complete:
            return
        if self._connection.transport.is_closing():
            raise ClientDisconnected
        if message["type"] == "http.response.start":
            self._start = message
            return
        assert self._start is not None
        body: bytes = message.get("body", b"")
        more: bool = message.get("more_body", False)
        head = b"" if self._begun else self._head(self._start, body, more=more)
        self._begun = True
        connection = self._connection
        connection.transport.write(head + self._framed(body, more=more))
        if not more:
            self.complete = True
            self._wake()
            if self._left:
                connection.abort()  # the client must not take it for whole
            else:
                connection.finished(self)
        elif connection.stalled is not None:
            await asyncio.shield(connection.stalled)

    def _head(self, start: Mapping[str, Any], body: bytes, *, more: bool) -> bytes:
        status: int = start["status"]
        headers: list[tuple[bytes, bytes]] = start["headers"]
        parts, length = list[bytes](), None
        for name, value in headers:
            parts += (name, b": ", value, b"\r\n")  # half the time of formatting each
            if name == b"content-length":
                length = int(value)
        text = b"".join(parts)
        if text.count(b"\n") != len(headers) or text.count(b"\r") != len(headers):
            raise ValueError("a header of the response has more than one line")
        self._bodiless = status in (204, 304) or self.scope["method"] == "HEAD"
        framing = b""
        if self._bodiless:
            pass
        elif length is not None:
            self._left = length
        elif not more:
            self._left = len(body)
            framing = b"content-length: %d\r\n" % len(body)
        elif self.scope["http_version"] == "1.1":
            self._chunked = True
            framing = b"transfer-encoding: chunked\r\n"
        else:
            self.keep_alive = False
        self.last = not (self.keep_alive and self.whole) or self._connection.stopping
        if self.last:
            framing += b"connection: close\r\n"
        elif self.scope["http_version"] != "1.1":
            framing += b"connection: keep-alive\r\n"
        return b"%b%b%bdate: %b\r\n\r\n" % (status_line(status), text, framing, http_date(int(time())))

    def _framed(self, body: bytes, *, more: bool) -> bytes:
        if self._bodiless:
            return b""
        if self._chunked:
            piece = b"%x\r\n%b\r\n" % (len(body), body) if body else b""
            return piece if more else piece + b"0\r\n\r\n"
        if self._left is not None:
            body = body[: self._left]
            self._left -= len(body)
        return body

    def end(self) -> None:
        """The application has ended: whatever it left open is closed."""
        if self.complete:
            return
        self.complete = True
        if self._begun:
            self._connection.abort()
        else:
            # Applications do not respond to a client that left; one whose body cannot be read is still there.
            self._connection.send_error(400 if self.gone and not self.whole else 500)


def status_line(status: int) -> bytes:
    return _STATUS_LINES.get(status) or b"HTTP/1.1 %d Unknown\r\n" % status


@lru_cache(2)
def http_date(second: int) -> bytes:
    return formatdate(second, usegmt=True).encode()
