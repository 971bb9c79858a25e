"""One HTTP request of git and its answer, both as streams: no pack is ever held in memory."""

import asyncio
import base64
import binascii
import re
import zlib
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any, Final
from urllib.parse import parse_qs, unquote_to_bytes

from mujina.adapters.git import CHUNK

Receive = Callable[[], Awaitable[Mapping[str, Any]]]
Send = Callable[[Mapping[str, Any]], Awaitable[None]]

NEVER_CACHED = {
    "Cache-Control": "no-cache, max-age=0, must-revalidate",
    "Expires": "Fri, 01 Jan 1980 00:00:00 GMT",
    "Pragma": "no-cache",
}
_PROTOCOL = re.compile(r"[a-z0-9=:._-]{1,256}")


STALLED_SECONDS: Final = 120
"""A client that neither sends nor takes a further piece for so long has gone, whatever its connection says."""


class ClientDisconnected(Exception):
    """The client went away before its request was whole, or before it had the whole answer."""


class MalformedRequest(Exception):
    """The body is not what its headers say, or more than may be taken."""


class Exchange:
    """What was asked, and the way back."""

    def __init__(self, scope: Mapping[str, Any], receive: Receive, send: Send) -> None:
        self.method: str = scope["method"]
        self.path: str = scope["path"]
        self.query = {name: values[-1] for name, values in parse_qs(scope["query_string"].decode("latin-1")).items()}
        self._headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        self.address: str = (scope.get("client") or ("",))[0]
        """Where the client comes from, as far as is known."""
        self._scheme: str = scope["scheme"]
        self._receive = receive
        self._send = send
        self._whole = False
        self._begun = False

    def header(self, name: str) -> str:
        return self._headers.get(name, "")

    def base(self, configured: str | None) -> str:
        """The address of this instance as this client reaches it."""
        return configured or f"{self._scheme}://{self.header('host')}"

    @property
    def git_protocol(self) -> str:
        """The versions the client speaks; anything odd counts as unsaid."""
        said = self.header("git-protocol")
        return said if _PROTOCOL.fullmatch(said) else ""

    @property
    def login(self) -> tuple[str, str] | None:
        """The name and password of `Authorization: Basic`; what cannot be read is a pair nobody has."""
        scheme, _, sealed = self.header("authorization").partition(" ")
        if scheme.lower() != "basic":
            return None
        try:
            name, _, password = base64.b64decode(sealed.strip(), validate=True).decode().partition(":")
        except (binascii.Error, UnicodeDecodeError):
            return "", ""
        return ("", "") if "\0" in name + password else (name, password)

    async def body(self, most: int) -> AsyncGenerator[bytes]:
        """The body in pieces, inflated if it came compressed; `MalformedRequest` once it is more than `most` bytes."""
        pieces = self._pieces()
        if self.header("content-encoding") in ("gzip", "x-gzip"):
            pieces = _inflated(pieces)
        taken = 0
        async for piece in pieces:
            taken += len(piece)
            if taken > most:
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
                yield piece

    async def gone(self) -> None:
        """Returns when the client has left; only to be awaited after the body."""
        while (await self._receive())["type"] != "http.disconnect":
            pass

    async def begin(self, status: int, content_type: str, headers: Mapping[str, str] | None = None) -> None:
        """The head of the answer, once."""
        if self._begun:
            return
        self._begun = True
        said = {"Content-Type": content_type, "X-Content-Type-Options": "nosniff", **NEVER_CACHED, **(headers or {})}
        lines = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in said.items()]
        await self._send({"type": "http.response.start", "status": status, "headers": lines})

    def writing(self, content_type: str) -> Callable[[bytes], Awaitable[None]]:
        """Writes the pieces of a long answer; its head goes out with the first one, so that a refusal may still come."""

        async def write(piece: bytes) -> None:
            await self.begin(200, content_type)
            await self.write(piece)

        return write

    async def write(self, piece: bytes) -> None:
        """The next piece of the answer, once the client has room for it; `ClientDisconnected` if it never has."""
        async with _unless_stalled():
            await self._send({"type": "http.response.body", "body": piece, "more_body": True})

    async def finish(self, content_type: str, code: int) -> None:
        """The end of a long answer. If git ended with a complaint before it said anything, the request was no good."""
        if code != 0 and not self._begun:
            raise MalformedRequest("The request could not be understood.")
        await self.begin(200, content_type)
        await self.end()

    async def end(self) -> None:
        await self._send({"type": "http.response.body", "body": b"", "more_body": False})

    async def answer(
        self, status: int, body: bytes, content_type: str, headers: Mapping[str, str] | None = None
    ) -> None:
        """A short answer, whole. Once a long one has begun it can only be broken off."""
        if not self._begun:
            await self.begin(status, content_type, {"Content-Length": str(len(body)), **(headers or {})})
            if self.method != "HEAD":
                await self.write(body)
        await self.end()

    async def say(self, status: int, text: str, headers: Mapping[str, str] | None = None) -> None:
        await self.answer(status, text.encode(), "text/plain; charset=utf-8", headers)


@asynccontextmanager
async def _unless_stalled() -> AsyncGenerator[None]:
    try:
        async with asyncio.timeout(STALLED_SECONDS):
            yield
    except TimeoutError:
        raise ClientDisconnected from None


async def _inflated(pieces: AsyncGenerator[bytes]) -> AsyncGenerator[bytes]:
    """Gzip undone a little at a time, so that a small request never becomes a large memory."""
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
    """A path with its escapes undone once; None if it is not text."""
    try:
        text = unquote_to_bytes(path).decode()
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else text
