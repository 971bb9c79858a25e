"""One HTTP request of git and its response, both as streams: no pack is held in memory."""

import asyncio
import base64
import binascii
import re
import zlib
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any, Final
from urllib.parse import parse_qs, unquote_to_bytes

from mujina.adapters.git.git import CHUNK
from mujina.kernel.http.requests.log import ClientDisconnected, record_of

Receive = Callable[[], Awaitable[Mapping[str, Any]]]
Send = Callable[[Mapping[str, Any]], Awaitable[None]]

NEVER_CACHED = {
    "Cache-Control": "no-cache, max-age=0, must-revalidate",
    "Expires": "Fri, 01 Jan 1980 00:00:00 GMT",
    "Pragma": "no-cache",
}
_PROTOCOL = re.compile(r"[a-z0-9=:._-]{1,256}")
_ERROR_LINE = re.compile(rb"[0-9a-f]{4}ERR [^\n]+\n?\Z")
"""The line of git's protocol that says why it ends."""


STALLED_SECONDS: Final = 120
"""A client that neither sends nor reads anything for this long counts as disconnected."""


class MalformedRequest(Exception):
    """The body does not match its headers, or is too large."""


class Exchange:
    """A request, and the means to respond."""

    def __init__(self, scope: Mapping[str, Any], receive: Receive, send: Send) -> None:
        self.method: str = scope["method"]
        self.path: str = scope["path"]
        self.query = {name: values[-1] for name, values in parse_qs(scope["query_string"].decode("latin-1")).items()}
        self._headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        self.address: str = (scope.get("client") or ("",))[0]
        """The IP address of the client, or an empty text."""
        self.record = record_of(scope)
        """The line of this request in the access log."""
        self._scheme: str = scope["scheme"]
        self._receive = receive
        self._send = send
        self._whole = False
        self._begun = False
        self._gone = False
        self._last_piece = b""

    def header(self, name: str) -> str:
        return self._headers.get(name, "")

    def base(self, configured: str | None) -> str:
        """The address of this instance as this client reaches it."""
        return configured or f"{self._scheme}://{self.header('host') or 'localhost'}"

    @property
    def git_protocol(self) -> str:
        """The protocol versions of the client; an invalid header counts as missing."""
        versions = self.header("git-protocol")
        return versions if _PROTOCOL.fullmatch(versions) else ""

    @property
    def login(self) -> tuple[str, str] | None:
        """The name and password of `Authorization: Basic`; two empty texts if the header is malformed."""
        scheme, _, encoded = self.header("authorization").partition(" ")
        if scheme.lower() != "basic":
            return None
        try:
            name, _, password = base64.b64decode(encoded.strip(), validate=True).decode().partition(":")
        except (binascii.Error, UnicodeDecodeError):
            return "", ""
        return ("", "") if "\0" in name + password else (name, password)

    async def body(self, max_bytes: int) -> AsyncGenerator[bytes]:
        """The body in pieces, decompressed; `MalformedRequest` if it has more than `max_bytes`."""
        pieces = self._pieces()
        if self.header("content-encoding") in ("gzip", "x-gzip"):
            pieces = _inflated(pieces)
        size = 0
        async for piece in pieces:
            size += len(piece)
            if size > max_bytes:
                raise MalformedRequest("The request is too large.")
            yield piece

    async def _pieces(self) -> AsyncGenerator[bytes]:
        while not self._whole:
            async with _unless_stalled():
                message = await self._receive()
            if message["type"] == "http.disconnect":
                raise ClientDisconnected
            self._whole = not message.get("more_body", False)
            if piece := message.get("body", b""):
                self.record.bytes_received += len(piece)
                yield piece

    async def gone(self) -> None:
        """Returns when the client disconnects; only to be awaited after the body."""
        while (await self._receive())["type"] != "http.disconnect":
            pass
        self._gone = True

    async def begin(self, status: int, content_type: str, headers: Mapping[str, str] | None = None) -> None:
        """Send status and headers, once."""
        if self._begun:
            return
        self._begun = True
        sent = {"Content-Type": content_type, "X-Content-Type-Options": "nosniff", **NEVER_CACHED, **(headers or {})}
        lines = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in sent.items()]
        await self._send({"type": "http.response.start", "status": status, "headers": lines})

    def writing(self, content_type: str) -> Callable[[bytes], Awaitable[None]]:
        """A function that writes pieces of a response; status and headers go out with the first, so an error can replace it."""

        async def write(piece: bytes) -> None:
            await self.begin(200, content_type)
            await self.write(piece)

        return write

    async def write(self, piece: bytes) -> None:
        """Send the next piece when the client reads; `ClientDisconnected` if it does not."""
        self._last_piece = piece
        async with _unless_stalled():
            await self._send({"type": "http.response.body", "body": piece, "more_body": True})

    async def finish(self, content_type: str, code: int) -> None:
        """End a streamed response. If git failed before it wrote anything, the request was malformed.

        If it failed later without a word, the response stays without an end: the client must not take a part for the whole.
        """
        if self._gone:
            raise ClientDisconnected
        if code != 0 and not self._begun:
            raise MalformedRequest("The request could not be understood.")
        if code != 0 and not _ERROR_LINE.search(self._last_piece):
            self.record.outcome = "failed"
            return
        if code != 0:
            self.record.outcome = "rejected"
        await self.begin(200, content_type)
        await self.end()

    async def end(self) -> None:
        await self._send({"type": "http.response.body", "body": b"", "more_body": False})

    async def answer(
        self, status: int, body: bytes, content_type: str, headers: Mapping[str, str] | None = None
    ) -> None:
        """Send a whole response. After a streamed one has begun, nothing is sent: that one stays without an end."""
        if self._begun:
            self.record.outcome = "failed"
            return
        await self.begin(status, content_type, {"Content-Length": str(len(body)), **(headers or {})})
        if self.method != "HEAD":
            await self.write(body)
        await self.end()

    async def answer_text(self, status: int, text: str, headers: Mapping[str, str] | None = None) -> None:
        await self.answer(status, text.encode(), "text/plain; charset=utf-8", headers)


@asynccontextmanager
async def _unless_stalled() -> AsyncGenerator[None]:
    try:
        async with asyncio.timeout(STALLED_SECONDS):
            yield
    except TimeoutError:
        raise ClientDisconnected from None


async def _inflated(pieces: AsyncGenerator[bytes]) -> AsyncGenerator[bytes]:
    """Decompress gzip in pieces, so that a small request cannot fill the memory."""
    inflater = zlib.decompressobj(wbits=31)
    try:
        async for piece in pieces:
            rest = piece
            while rest and not inflater.eof:
                if inflated := inflater.decompress(rest, CHUNK):
                    yield inflated
                rest = inflater.unconsumed_tail
    except zlib.error:
        raise MalformedRequest("The request is not valid gzip.") from None
    if not inflater.eof:
        raise MalformedRequest("The request is not valid gzip.")


def decoded(path: str) -> str | None:
    """The percent-decoded path; None if it is not UTF-8."""
    try:
        text = unquote_to_bytes(path).decode()
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else text
