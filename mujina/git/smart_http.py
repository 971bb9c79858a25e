"""Git over HTTP: clone, fetch and push by the smart protocol, versions 0 to 2, in front of git's own processes.

    GET  /{full_path}.git/info/refs?service=git-upload-pack
    POST /{full_path}.git/git-upload-pack, /{full_path}.git/git-receive-pack

and the same below `{full_path}.wiki.git`.
"""

import re
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

import msgspec

from mujina.accounts.credentials.basic import ACCESS_DENIED, AuthenticationFailed, find_actor_by_password
from mujina.accounts.users import activity
from mujina.git import packs
from mujina.git.access import CLOSED, UNAVAILABLE, Denied, RepositoryRow, Service, check_protocol, storage_of
from mujina.git.exchange import Cut, Exchange, Receive, Send, Unreadable, decoded
from mujina.git.first_push import find_or_make
from mujina.git.receive import Push
from mujina.git.turns import BUSY, Busy, Turns
from mujina.kernel import urls
from mujina.kernel.actor import ANONYMOUS, Actor
from mujina.kernel.db.errors import TemporaryFailure
from mujina.kernel.logs import log
from mujina.kernel.params import Ref
from mujina.kernel.services import Services

CHALLENGE = {"WWW-Authenticate": 'Basic realm="Mujina"'}
RETRY = {"Retry-After": "1"}
NO_SUCH_PAGE = "Not found.\n"
MOST_WANTS = 64 * 1024 * 1024
"""The largest request for a fetch: more than a million commits the client has."""

ROOM_FOR_REFS = 16
"""Megabytes beside the pack itself; of that git watches the size, and says so in words."""

_ADDRESS = re.compile(r"/(?P<path>.+?)(?P<wiki>\.wiki)?\.git/(?P<page>info/refs|git-upload-pack|git-receive-pack)")
_WITHOUT_SUFFIX = re.compile(r"/(?P<path>.+)/info/refs")
_SERVICES: dict[str, Service] = {"git-upload-pack": "upload-pack", "git-receive-pack": "receive-pack"}

Asgi = Callable[[Mapping[str, Any], Receive, Send], Awaitable[None]]


class Asked(msgspec.Struct, frozen=True):
    """Which service of which repository, for whom."""

    service: Service
    wiki: bool
    actor: Actor
    repository: RepositoryRow


def is_for_git(path: str, query: bytes) -> bool:
    """Whether a request is for this door: everything below a `.git`, and `info/refs` of whoever left it out."""
    if path.startswith("/api/"):  # where a file or a branch may be called x.git
        return False
    return ".git/" in path or (path.endswith("/info/refs") and b"service=git-" in query)


class SmartHttp:
    """The door of git over HTTP."""

    def __init__(self, services: Services) -> None:
        self.services = services
        self._clones, self._pushes = (Turns(services.settings.workers) for _ in range(2))
        self._spoken = b""

    async def __call__(self, scope: Mapping[str, Any], receive: Receive, send: Send) -> None:
        exchange = Exchange(scope, receive, send)
        try:
            await self._answer(exchange)
        except (Denied, AuthenticationFailed) as refusal:
            await exchange.say(refusal.status, refusal.text, CHALLENGE if refusal.status == 401 else None)
        except Unreadable as fault:
            await exchange.say(400, f"{fault}\n")
        except Cut:
            pass
        except TemporaryFailure:
            await exchange.say(503, f"{UNAVAILABLE}\n", RETRY)
        except Exception:  # noqa: BLE001 - whatever happens, the client is told something
            log.exception("git request failed", path=exchange.path)
            await exchange.say(500, "Something went wrong on our side.\n")

    async def _answer(self, exchange: Exchange) -> None:
        found = _ADDRESS.fullmatch(exchange.path)
        if found is None:
            await self._elsewhere(exchange)
            return
        page = found["page"]
        service = _SERVICES.get(exchange.query.get("service", "") if page == "info/refs" else page)
        if service is None:
            # Compat: the dumb protocol is not spoken: every clone goes through git itself.
            raise Denied(403, "Please upgrade your git client.\n")
        verb = "GET" if page == "info/refs" else "POST"
        if exchange.method != verb:
            raise Denied(405, f"Use {verb}.\n")
        asked = await self._admit(exchange, service, decoded(found["path"]), wiki=found["wiki"] is not None)
        await activity.record_activity(self.services.database, asked.actor, asked.repository.seen_on)
        if page == "info/refs":
            await self._advertise(exchange, asked)
        elif exchange.header("content-type") != f"application/x-git-{service}-request":
            raise Denied(415, "Unsupported media type.\n")
        elif service == "upload-pack":
            await self._upload(exchange, asked)
        else:
            await self._receive(exchange, asked)

    async def _elsewhere(self, exchange: Exchange) -> None:
        """`info/refs` without `.git` is shown the way; nothing else is here."""
        found = _WITHOUT_SUFFIX.fullmatch(exchange.path)
        if found is None or exchange.query.get("service") not in _SERVICES:
            raise Denied(404, NO_SUCH_PAGE)
        there = f"/{quote(found['path'], safe='/%-._~')}.git/info/refs?service={exchange.query['service']}"
        await exchange.say(301, f"See {there}\n", {"Location": there})

    async def _admit(self, exchange: Exchange, service: Service, path: str | None, *, wiki: bool) -> Asked:
        """Who asks may do so. Whoever shows no credential is asked for one, whether there is such a project or not."""
        login = exchange.login
        try:
            actor = (
                ANONYMOUS if login is None else await find_actor_by_password(self.services, *login, exchange.address)
            )
            repository = await self._find(actor, service, _ref(path), wiki=wiki)
        except (Denied, AuthenticationFailed):
            async with self.services.database.reading() as tx:
                await check_protocol(tx, "http")  # where this door is closed, nobody hears anything else
            raise
        return Asked(service, wiki, actor, repository)

    async def _find(self, actor: Actor, service: Service, ref: Ref, *, wiki: bool) -> RepositoryRow:
        unknown = Denied(401, ACCESS_DENIED)
        if actor.anonymous and service == "receive-pack":
            raise unknown
        try:
            repository = await find_or_make(self.services, actor, ref, service, wiki=wiki, protocol="http")
        except Denied:
            if actor.anonymous:
                raise unknown from None
            raise
        if repository.http_closed:
            raise Denied(403, CLOSED.format("HTTP"))
        return repository

    async def _advertise(self, exchange: Exchange, asked: Asked) -> None:
        place = await storage_of(self.services, asked.repository).repository(asked.repository.id, wiki=asked.wiki)
        kind, protocol = f"application/x-git-{asked.service}-advertisement", exchange.git_protocol
        if asked.service == "upload-pack" and protocol == "version=2":
            await exchange.answer(200, await self._abilities(place), kind)
            return
        await exchange.begin(200, kind)
        if "version=2" not in protocol.split(":") or asked.service == "receive-pack":
            await exchange.write(packs.line(f"# service=git-{asked.service}\n") + packs.FLUSH)
        async for piece in packs.advertised(place, asked.service, protocol):
            await exchange.write(piece)
        await exchange.end()

    async def _abilities(self, place: Path) -> bytes:
        """What may be asked by the second version of the protocol.

        No repository's own configuration counts, so all have the same: git is asked once, not by each clone of a crowd.
        """
        if not self._spoken:
            self._spoken = b"".join([piece async for piece in packs.advertised(place, "upload-pack", "version=2")])
        return self._spoken

    async def _upload(self, exchange: Exchange, asked: Asked) -> None:
        place = await storage_of(self.services, asked.repository).repository(asked.repository.id, wiki=asked.wiki)
        write = exchange.writing(kind := "application/x-git-upload-pack-result")
        try:
            async with self._clones.one(asked.actor, asked.repository.id):
                code = await packs.upload(place, exchange.git_protocol, exchange.body(MOST_WANTS), write, exchange.gone)
        except Busy:
            await exchange.answer(200, packs.line(f"ERR {BUSY}"), kind)
        else:
            await exchange.finish(kind, code)

    async def _receive(self, exchange: Exchange, asked: Asked) -> None:
        settings = self.services.settings
        urls.instance_address.set(urls.InstanceAddress(exchange.base(settings.external_url), settings.ssh_port))
        push = Push(self.services, asked.actor, asked.repository, wiki=asked.wiki)
        most = (settings.max_push_megabytes + ROOM_FOR_REFS) * 1024 * 1024
        write = exchange.writing(kind := "application/x-git-receive-pack-result")
        if exchange.header("content-length") == str(len(packs.FLUSH)):
            # With an empty push git asks, before it sends a large one, whether it would be let in. It is, by now.
            await exchange.answer(200, b"", kind)
            return
        try:
            async with self._pushes.one(asked.actor, asked.repository.id):
                code = await packs.receive(push, exchange.git_protocol, exchange.body(most), write)
        except Busy:
            raise Denied(503, BUSY) from None
        await exchange.finish(kind, code)


def _ref(path: str | None) -> Ref:
    """The project of this path. An address never holds an id: what looks like one, or like no text, names nothing."""
    return Ref("" if path is None or path.isdigit() else path)
