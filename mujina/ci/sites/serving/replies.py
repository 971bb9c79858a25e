"""Requests to sites, and the responses to them."""

import html
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any
from urllib.parse import quote, unquote_to_bytes

from mujina.kernel.http.requests.headers import cookie_of, headers_of

Send = Callable[[dict[str, Any]], Awaitable[None]]
Headers = dict[str, str]


class Reply:
    """One request, and its response."""

    def __init__(self, scope: dict[str, Any], send: Send) -> None:
        self._sent, self._send = headers_of(scope), send
        self.is_head = scope["method"] == "HEAD"
        self.scheme: str = scope["scheme"]
        self.path: str = scope["raw_path"].decode("latin-1")
        """As it was sent, encoded."""
        self.query: str = scope["query_string"].decode("latin-1")
        self.search = f"?{self.query}" if self.query else ""
        """The query behind its question mark, as a redirect keeps it."""
        self.authority = self.header(b"host").lower()
        """The host, with its port if the browser sends one."""
        name, _, port = self.authority.rpartition(":")
        self.host = (name if port.isdigit() else self.authority).rstrip(".")

    def decoded_path(self) -> str | None:
        """The path; None if no file can have it."""
        try:
            path = unquote_to_bytes(self.path).decode()
        except UnicodeDecodeError:
            return None
        return None if "\0" in path or "//" in path or {".", ".."} & set(path.split("/")) else path

    def cookie(self, name: str) -> str:
        return cookie_of(self.header(b"cookie"), name)

    def header(self, name: bytes) -> str:
        return self._sent.get(name, b"").decode("latin-1")

    def is_current(self, etag: str, modified: str) -> bool:
        """Whether the browser has what it would get."""
        if known := self.header(b"if-none-match"):
            return known.strip() == "*" or etag in [each.strip().removeprefix("W/") for each in known.split(",")]
        return self.header(b"if-modified-since") == modified

    def range_of(self, etag: str, modified: str) -> str | None:
        """The bytes that the browser asks for, unless they are to continue another version of the file."""
        unless_changed = self.header(b"if-range")
        return self.header(b"range") if unless_changed in ("", etag, modified) else None

    async def page(self, status: int, sentence: str, headers: Headers | None = None) -> None:
        """A page of our own."""
        text = f"<!doctype html><title>{status}</title><p>{html.escape(sentence)}</p>\n".encode()
        fixed = {"Content-Type": "text/html; charset=utf-8", "Content-Length": str(len(text))}
        await self.send(status, {**fixed, **(headers or {})}, text)

    async def redirect(self, target: str, headers: Headers | None = None) -> None:
        target = quote(target, safe="/%:?&=@!$'()*+,;~-._[]#")
        if target.startswith("//"):
            target = "/" + target.lstrip("/")
        await self.send(302, {"Location": target, "Content-Length": "0", **(headers or {})}, b"")

    async def send(self, status: int, headers: Headers, body: bytes | AsyncIterator[bytes]) -> None:
        lines = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()]
        await self._send({"type": "http.response.start", "status": status, "headers": lines})
        if isinstance(body, bytes):
            await self._send({"type": "http.response.body", "body": b"" if self.is_head else body})
            return
        async for piece in body:
            await self._send({"type": "http.response.body", "body": piece, "more_body": True})
        await self._send({"type": "http.response.body", "body": b""})
