"""The listener of sites: it finds the site by host and path, and sends its files. It has no other pages."""

from email.utils import formatdate
from functools import lru_cache
from time import monotonic
from typing import Any, Final
from urllib.parse import urlsplit

import msgspec
from msgspec import structs

from mujina.ci.sites.addresses import candidate_paths
from mujina.ci.sites.rules import SiteFileRow, SiteRow, find_site_at, find_site_files, find_site_of_domain
from mujina.ci.sites.serving import sign_in
from mujina.ci.sites.serving.replies import Headers, Reply, Send
from mujina.ci.sites.serving.representations import (
    SUFFIXES,
    Encoding,
    Representation,
    SiteContents,
    accepted_encodings,
    represent,
)
from mujina.ci.sites.serving.sign_in import SiteSignIn
from mujina.kernel import clock
from mujina.kernel.db.transaction import contention_key
from mujina.kernel.errors import ApiError
from mujina.kernel.http.byte_ranges import ByteRange, read_range
from mujina.kernel.http.requests.checks import find_fault, send_error
from mujina.kernel.http.requests.log import record_of
from mujina.kernel.permissions.actor import ANONYMOUS, Actor
from mujina.kernel.secrets import new_token
from mujina.kernel.services import Services
from mujina.kernel.storage.recent_results import RecentResults
from mujina.kernel.text.folding import fold

REMEMBERED_SECONDS: Final = 1.0
"""How long a site that was found, and whether the visitor may see it, need not be looked up again."""
MAX_REMEMBERED: Final = 10_000
CACHED_SECONDS: Final = 600
NOT_FOUND_PAGE: Final = "404.html"
NOTHING_HERE: Final = "There is no page at this address."
NOT_SIGNED_IN: Final = "You were not signed in: this has expired, or was begun in another browser. Open the site again."


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
        url = services.settings.pages_url
        # A host that all sites share protects none of them from the scripts of the others; a secondary stores no sign-in.
        self._sign_in = None if url is None or services.secondary is not None else SiteSignIn(services, url)
        self._sites: dict[tuple[int, str, str], tuple[float, SiteRow | None]] = {}
        self._files = RecentResults[dict[str, SiteFileRow]](MAX_REMEMBERED)

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Send) -> None:  # noqa: ARG002 - no body is read
        record_of(scope).route = "/{site}"
        if (fault := find_fault(scope)) is not None:
            await send_error(fault, scope, send)
            return
        reply = Reply(scope, send)
        contention_key.set(reply.host)
        try:
            if scope["method"] not in ("GET", "HEAD"):
                await reply.page(405, "Sites can only be read.", {"Allow": "GET, HEAD"})
            elif reply.path == sign_in.PATH and self._sign_in is not None:
                await self._continue_sign_in(self._sign_in, reply)
            else:
                await self._respond(reply)
        except ApiError as error:
            await reply.page(error.status, "This page is not available now.", dict(error.headers))

    async def _respond(self, reply: Reply) -> None:
        path = reply.decoded_path()
        found = None if path is None else await self._find(reply.host, path, ANONYMOUS)
        if path is not None and self._sign_in is not None and (found is None or not found.site.allowed):
            actor = await self._visitor(self._sign_in, reply)
            if actor.anonymous and (found is not None or self._is_namespace(reply.host)):
                await self._begin_sign_in(self._sign_in, reply)
                return
            found = await self._find(reply.host, path, actor)
        if found is None or not found.site.allowed:
            await reply.page(404, NOTHING_HERE)
        elif not found.path and not reply.path.endswith("/"):
            await reply.redirect(f"{reply.path}/{reply.search}")
        else:
            await self._show(found, reply)

    def _is_namespace(self, host: str) -> bool:
        """Whether the host may have sites: then visitors learn only when they have signed in that a path has none."""
        return bool(candidate_paths(self._services.settings, host, "/"))

    async def _visitor(self, signing_in: SiteSignIn, reply: Reply) -> Actor:
        session = reply.cookie(sign_in.SESSION_COOKIE)
        if not session:
            return ANONYMOUS
        return await signing_in.visitor(self._origin(reply), reply.cookie(sign_in.BROWSER_COOKIE), session)

    async def _begin_sign_in(self, signing_in: SiteSignIn, reply: Reply) -> None:
        cookie = reply.cookie(sign_in.BROWSER_COOKIE) or new_token()
        target = await signing_in.begin(self._origin(reply), cookie, f"{reply.path}{reply.search}")
        await reply.redirect(target, self._set_cookie(reply, sign_in.BROWSER_COOKIE, cookie))

    async def _continue_sign_in(self, signing_in: SiteSignIn, reply: Reply) -> None:
        """The instance has sent the browser to the host of `pages_url`, or that has sent it to the site."""
        if reply.host == urlsplit(self._services.settings.pages_url or "").hostname:
            target = await signing_in.end(reply.query)
            await (reply.page(403, NOT_SIGNED_IN) if target is None else reply.redirect(target))
            return
        admitted = signing_in.admit(self._origin(reply), reply.cookie(sign_in.BROWSER_COOKIE), reply.query)
        if admitted is None:
            await reply.page(403, NOT_SIGNED_IN)
        else:
            session, target = admitted
            await reply.redirect(target, self._set_cookie(reply, sign_in.SESSION_COOKIE, session))

    def _origin(self, reply: Reply) -> str:
        return sign_in.site_origin(self._services.settings.pages_url or "", reply.scheme, reply.authority)

    def _set_cookie(self, reply: Reply, name: str, value: str) -> Headers:
        """A cookie of this host alone, which no script reads."""
        secure = "; Secure" if self._origin(reply).startswith("https:") else ""
        return {"Set-Cookie": f"{name}={value}; Path=/; HttpOnly; SameSite=Lax{secure}"}

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

    async def _show(self, found: FoundSite, reply: Reply) -> None:
        accepted = accepted_encodings(reply.header(b"accept-encoding"))
        folder = not found.path or found.path.endswith("/")
        names = [f"{found.path}index.html"] if folder else [found.path, f"{found.path}.html"]
        index = None if folder else f"{found.path}/index.html"
        files = await self._find_files(found.site, [*names, *([index] if index else [])], accepted)
        if not files and (site := await self._find_replacement(found)) is not None:
            await self._show(structs.replace(found, site=site), reply)
            return
        path = next((name for name in names if name in files), None)
        if path is not None:
            await self._send(found, represent(files, path, accepted), 200, reply)
        elif index in files:
            await reply.redirect(f"{reply.path}/{reply.search}")
        elif NOT_FOUND_PAGE in files:
            await self._send(found, represent(files, NOT_FOUND_PAGE, accepted), 404, reply)
        else:
            await reply.page(404, NOTHING_HERE)

    async def _find_replacement(self, found: FoundSite) -> SiteRow | None:
        """The site that replaced the one that is remembered; None if that is the site still, or the visitor may see no other."""
        async with self._services.database.reading() as tx:
            site = await find_site_at(tx, found.actor, [fold(found.site.full_path)])
        return None if site is None or site.id == found.site.id or not site.allowed else site

    async def _find_files(self, site: SiteRow, names: list[str], accepted: list[Encoding]) -> dict[str, SiteFileRow]:
        """Those of these files that the site has, with their compressed variants, and the page for what is not found."""
        wanted = [*names, NOT_FOUND_PAGE]
        wanted += [f"{name}{SUFFIXES[encoding]}" for name in wanted for encoding in accepted]
        key = f"{site.id} {' '.join(accepted)} {' '.join(names)}".encode("utf-8", "surrogateescape")
        files = self._files.get(key)
        if files is None:
            async with self._services.database.reading() as tx:
                files = await find_site_files(tx, site.id, wanted)
            self._files.put(key, files, 1)
        return files

    async def _send(self, found: FoundSite, shown: Representation, status: int, reply: Reply) -> None:
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


@lru_cache(1_000)
def _http_date(moment: str) -> str:
    return formatdate(clock.seconds(moment), usegmt=True)


def _headers(found: FoundSite, shown: Representation) -> Headers:
    public = found.actor.anonymous
    headers = {
        "Content-Type": shown.content_type, "ETag": shown.etag, "X-Content-Type-Options": "nosniff",
        "Last-Modified": _http_date(found.site.created_at),
        "Cache-Control": f"max-age={CACHED_SECONDS}" if public else "private, no-cache", "Vary": "Accept-Encoding",
    }  # fmt: skip
    return headers if shown.encoding is None else {**headers, "Content-Encoding": shown.encoding}
