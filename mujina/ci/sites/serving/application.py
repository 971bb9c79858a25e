"""The listener of sites: it finds the site by host and path, and sends its files. It has no other pages."""

import html
from collections.abc import AsyncIterator, Awaitable, Callable
from email.utils import formatdate
from time import monotonic
from typing import Any, Final
from urllib.parse import quote, unquote_to_bytes

import msgspec

from mujina.ci.sites.addresses import candidate_paths
from mujina.ci.sites.rules import SiteFileRow, SiteRow, find_site_at, find_site_files, find_site_of_domain
from mujina.ci.sites.serving.representations import (
    SUFFIXES,
    Encoding,
    Representation,
    SiteContents,
    accepted_encodings,
    represent,
)
from mujina.kernel import clock
from mujina.kernel.db.transaction import contention_key
from mujina.kernel.errors import ApiError
from mujina.kernel.http.byte_ranges import ByteRange, read_range
from mujina.kernel.http.requests.checks import find_fault, send_error
from mujina.kernel.http.requests.headers import headers_of
from mujina.kernel.http.requests.log import record_of
from mujina.kernel.permissions.actor import ANONYMOUS, Actor
from mujina.kernel.services import Services
from mujina.rendering.recent import RecentResults

Send = Callable[[dict[str, Any]], Awaitable[None]]
Headers = dict[str, str]
REMEMBERED_SECONDS: Final = 1.0
"""How long a site that was found, and whether the visitor may see it, need not be looked up again."""
MAX_REMEMBERED: Final = 10_000
CACHED_SECONDS: Final = 600
NOT_FOUND_PAGE: Final = "404.html"


class FoundSite(msgspec.Struct, frozen=True):
    """A site, and the path in it that was asked for."""

    site: SiteRow
    actor: Actor
    path: str
    """Decoded, without a slash at the start."""


class SiteApplication:
    """The ASGI application of all sites."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._contents = SiteContents(services)
        self._sites: dict[tuple[int, str, str], tuple[float, SiteRow | None]] = {}
        self._files = RecentResults[dict[str, SiteFileRow]](MAX_REMEMBERED)

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Send) -> None:  # noqa: ARG002 - no body is read
        record_of(scope).route = "/{site}"
        if (fault := find_fault(scope)) is not None:
            await send_error(fault, scope, send)
            return
        headers = headers_of(scope)
        host = headers.get(b"host", b"").decode("latin-1").rpartition(":")
        name = (host[0] if host[1] and host[2].isdigit() else "".join(host)).lower().rstrip(".")
        contention_key.set(name)
        try:
            await self._respond(scope, name, _Reply(scope, send))
        except ApiError as error:
            await _Reply(scope, send).page(error.status, "This page is not available now.", dict(error.headers))

    async def _respond(self, scope: dict[str, Any], host: str, reply: "_Reply") -> None:
        if scope["method"] not in ("GET", "HEAD"):
            await reply.page(405, "Sites can only be read.", {"Allow": "GET, HEAD"})
            return
        raw = scope["raw_path"].decode("latin-1")
        path = _decoded(raw)
        found = None if path is None else await self._find(host, path, ANONYMOUS)
        if found is None or not found.site.allowed:
            await reply.page(404, "There is no page at this address.")
        elif not found.path and not raw.endswith("/"):
            await reply.redirect(f"{raw}/")
        else:
            await self._show(found, raw, reply)

    async def _find(self, host: str, path: str, actor: Actor) -> FoundSite | None:
        """The site at this host that has the path."""
        site = await self._remembered(actor, host, [""])
        if site is not None:
            return FoundSite(site, actor, path.lstrip("/"))
        settings = self._services.settings
        candidates = candidate_paths(settings, host, path)
        site = await self._remembered(actor, host, candidates) if candidates else None
        if site is None:
            return None
        depth = site.full_path.count("/") + (settings.pages_url is None)
        parts = path.lstrip("/").split("/")
        return FoundSite(site, actor, "/".join(parts if _is_root(site, host) else parts[depth:]))

    async def _remembered(self, actor: Actor, host: str, candidates: list[str]) -> SiteRow | None:
        """The site of the domain, or of the project with the longest of these paths; a second ago suffices.

        No project is inside another: what is known of a path is true of all below it, except of the site of a namespace.
        """
        now = monotonic()
        for candidate in candidates:
            until, site = self._sites.get((actor.id, host, candidate), (0.0, None))
            if until > now and (candidate == candidates[0] or (site and site.full_path.lower() == candidate)):
                return site
        async with self._services.database.reading() as tx:
            if candidates == [""]:
                site = await find_site_of_domain(tx, actor, host)
            else:
                site = await find_site_at(tx, actor, candidates)
        if len(self._sites) > MAX_REMEMBERED:
            self._sites.clear()
        self._sites[actor.id, host, candidates[0]] = known = now + REMEMBERED_SECONDS, site
        if site is not None and not _is_root(site, host):
            self._sites[actor.id, host, site.full_path.lower()] = known
        return site

    async def _show(self, found: FoundSite, raw: str, reply: "_Reply") -> None:
        accepted = accepted_encodings(reply.header(b"accept-encoding"))
        folder = not found.path or found.path.endswith("/")
        names = [f"{found.path}index.html"] if folder else [found.path, f"{found.path}.html"]
        index = None if folder else f"{found.path}/index.html"
        files = await self._find_files(found.site, [*names, *([index] if index else [])], accepted)
        path = next((name for name in names if name in files), None)
        if path is not None:
            await self._send(found, represent(files, path, accepted), 200, reply)
        elif index in files:
            await reply.redirect(f"{raw}/")
        elif NOT_FOUND_PAGE in files:
            await self._send(found, represent(files, NOT_FOUND_PAGE, accepted), 404, reply)
        else:
            await reply.page(404, "There is no page at this address.")

    async def _find_files(self, site: SiteRow, names: list[str], accepted: list[Encoding]) -> dict[str, SiteFileRow]:
        """Those of these files that the site has, with their compressed variants, and the page for what is not found."""
        wanted = [*names, NOT_FOUND_PAGE]
        wanted += [f"{name}{SUFFIXES[encoding]}" for name in wanted for encoding in accepted]
        key = f"{site.id} {' '.join(accepted)} {names[0]}".encode("utf-8", "surrogateescape")
        files = self._files.get(key)
        if files is None:
            async with self._services.database.reading() as tx:
                files = await find_site_files(tx, site.id, wanted)
            self._files.put(key, files, 1)
        return files

    async def _send(self, found: FoundSite, shown: Representation, status: int, reply: "_Reply") -> None:
        headers = _headers(found, shown)
        if status == 200 and reply.is_current(shown.etag, headers["Last-Modified"]):
            await reply.send(304, headers, b"")
            return
        part = ByteRange(0, shown.length, shown.length)
        if status == 200 and shown.encoding is None:
            part = read_range(reply.range_of(shown.etag, headers["Last-Modified"]), shown.length)
        headers |= part.headers
        if reply.is_head:
            await reply.send(part.status if status == 200 else status, headers, b"")
            return
        body = await self._contents.read(found.site, shown, part.start, part.end)
        await reply.send(part.status if status == 200 else status, headers, body)


def _is_root(site: SiteRow, host: str) -> bool:
    """Whether it is the site of a namespace, of the project that is named like the host."""
    return site.full_path.lower().endswith(f"/{host}")


def _decoded(raw: str) -> str | None:
    """The path; None if no file can have it."""
    try:
        path = unquote_to_bytes(raw).decode()
    except UnicodeDecodeError:
        return None
    return None if "\0" in path or "//" in path or {".", ".."} & set(path.split("/")) else path


def _headers(found: FoundSite, shown: Representation) -> Headers:
    public = found.actor.anonymous
    headers = {
        "Content-Type": shown.content_type, "ETag": shown.etag, "X-Content-Type-Options": "nosniff",
        "Last-Modified": formatdate(clock.seconds(found.site.created_at), usegmt=True),
        "Cache-Control": f"max-age={CACHED_SECONDS}" if public else "private, no-cache", "Vary": "Accept-Encoding",
    }  # fmt: skip
    return headers if shown.encoding is None else {**headers, "Content-Encoding": shown.encoding}


class _Reply:
    """The response to one request."""

    def __init__(self, scope: dict[str, Any], send: Send) -> None:
        self._sent, self._send = headers_of(scope), send
        self.is_head = scope["method"] == "HEAD"

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
