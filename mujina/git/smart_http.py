"""Git over HTTP: clone, fetch and push by the smart protocol, versions 0 to 2, in front of git's own processes.

    GET  /{full_path}.git/info/refs?service=git-upload-pack
    POST /{full_path}.git/git-upload-pack, /{full_path}.git/git-receive-pack

and the same for `{full_path}.wiki.git`.
"""

import asyncio
import re
from collections.abc import AsyncGenerator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

from mujina.accounts.credentials.basic import ACCESS_DENIED, AuthenticationFailed, find_actor_by_password
from mujina.accounts.users.profile import activity
from mujina.adapters.git import git
from mujina.code.pushes.access import (
    PROTOCOL_DISABLED,
    UNAVAILABLE,
    AccessDenied,
    RepositoryRow,
    Service,
    check_protocol,
)
from mujina.code.pushes.checks.missing_projects import find_or_create_repository
from mujina.code.pushes.operations import Push
from mujina.code.pushes.repo_paths import repo_path_to_read
from mujina.git import packs
from mujina.git.concurrency import BUSY, ConcurrencyLimit, TooManyRequests
from mujina.git.exchange import Exchange, MalformedRequest, Receive, Send, decoded
from mujina.git.requests import GitAddress, GitRequest, find_credential
from mujina.kernel import urls
from mujina.kernel.db.errors import TemporaryFailure
from mujina.kernel.errors import ApiError
from mujina.kernel.http.requests.log import ClientDisconnected
from mujina.kernel.limits.requests import RequestLimits
from mujina.kernel.monitoring.logs import log
from mujina.kernel.permissions.actor import ANONYMOUS, Actor
from mujina.kernel.services import Services
from mujina.kernel.storage.errors import check_storage, find_storage_error, storage_problem, storage_status

CHALLENGE = {"WWW-Authenticate": 'Basic realm="Mujina"'}
RETRY = {"Retry-After": "1"}
NO_SUCH_PAGE = "Not found.\n"
MAX_FETCH_REQUEST_BYTES = 64 * 1024 * 1024
"""The largest request of a fetch: it can list more than a million commits."""

REFS_MEGABYTES = 16
"""The limit for the list of refs; git itself limits the size of the pack, with an error message."""

_ADDRESS = re.compile(r"/(?P<path>.+?)(?P<wiki>\.wiki)?\.git/(?P<page>info/refs|git-upload-pack|git-receive-pack)")
_WITHOUT_SUFFIX = re.compile(r"/(?P<path>.+)/info/refs")
_SERVICES: dict[str, Service] = {"git-upload-pack": "upload-pack", "git-receive-pack": "receive-pack"}


def is_for_git(path: str, query: bytes) -> bool:
    """Whether a request is for git: all paths below a `.git`, and `info/refs` of a URL without the suffix."""
    if path.startswith("/api/"):  # a file or branch name may end in .git
        return False
    return ".git/" in path or (path.endswith("/info/refs") and b"service=git-" in query)


class SmartHttp:
    """Git over HTTP as an ASGI application."""

    def __init__(self, services: Services) -> None:
        self.services = services
        self._clones, self._pushes = (ConcurrencyLimit(services.settings.workers) for _ in range(2))
        self._limits = RequestLimits(services)
        self._limited = self._limits.of_git()
        self._capabilities_v2 = b""

    async def __call__(self, scope: Mapping[str, Any], receive: Receive, send: Send) -> None:
        exchange = Exchange(scope, receive, send)
        try:
            await self._answer(exchange)
        except AccessDenied as error:
            await exchange.answer_text(error.status, error.text, CHALLENGE if error.status == 401 else None)
        except AuthenticationFailed as error:
            await exchange.answer_text(error.status, error.text, CHALLENGE if error.status == 401 else error.headers)
        except ApiError as error:  # the repository is missing, or its project was deleted meanwhile
            await exchange.answer_text(error.status, "".join(f"{reason}\n" for reason in error.reasons), error.headers)
        except MalformedRequest as error:
            await exchange.answer_text(400, f"{error}\n")
        except ClientDisconnected:
            raise
        except Exception as error:  # noqa: BLE001 - the client gets a response in any case
            if sentence := storage_problem(error):
                log.error("storage cannot be used", path=exchange.path, exc_info=error)
                await exchange.answer_text(storage_status(sentence), f"{sentence}\n")
                return
            if isinstance(error, TemporaryFailure):
                await exchange.answer_text(503, f"{UNAVAILABLE}\n", RETRY)
                return
            log.exception("git request failed", path=exchange.path)
            await exchange.answer_text(500, "Something went wrong on our side.\n")

    async def _answer(self, exchange: Exchange) -> None:
        found = _ADDRESS.fullmatch(exchange.path)
        if found is None:
            await self._redirect(exchange)
            return
        page = found["page"]
        exchange.record.route = f":path.git/{page}"
        service = _SERVICES.get(exchange.query.get("service", "") if page == "info/refs" else page)
        if service is None:
            # Compat: the dumb protocol is not supported.
            raise AccessDenied(403, "Please upgrade your git client.\n")
        exchange.record.operation = (
            "advertise" if page == "info/refs" else "fetch" if service == "upload-pack" else "push"
        )
        verb = "GET" if page == "info/refs" else "POST"
        if exchange.method != verb:
            raise AccessDenied(405, f"Use {verb}.\n")
        request = await self._authorize(
            exchange, GitAddress(service, decoded(found["path"]), wiki=found["wiki"] is not None)
        )
        await activity.record_activity(self.services.database, request.actor, request.repository.seen_on)
        if page == "info/refs":
            await self._advertise(exchange, request)
        elif exchange.header("content-type") != f"application/x-git-{service}-request":
            raise AccessDenied(415, "Unsupported media type.\n")
        elif service == "upload-pack":
            await self._upload(exchange, request)
        else:
            await self._receive(exchange, request)

    async def _redirect(self, exchange: Exchange) -> None:
        """Redirect `info/refs` of a URL without `.git`; 404 for everything else."""
        found = _WITHOUT_SUFFIX.fullmatch(exchange.path)
        if found is None or exchange.query.get("service") not in _SERVICES:
            raise AccessDenied(404, NO_SUCH_PAGE)
        location = f"/{quote(found['path'], safe='/%-._~')}.git/info/refs?service={exchange.query['service']}"
        await exchange.answer_text(301, f"See {location}\n", {"Location": location})

    async def _authorize(self, exchange: Exchange, address: GitAddress) -> GitRequest:
        """Authenticate and authorize. Without a credential the answer is 401, whether the project exists or not."""
        if (credential := find_credential(self.services, exchange)) is not None:
            return await credential.authorize(self.services, exchange, address)
        login = exchange.login
        try:
            actor = (
                ANONYMOUS if login is None else await find_actor_by_password(self.services, *login, exchange.address)
            )
            exchange.record.acts(actor)
            repository = await self._find(actor, address)
            await self._limits.count(self._limited, actor)
        except (AccessDenied, AuthenticationFailed):
            async with self.services.database.reading() as tx:
                await check_protocol(tx, "http")  # if HTTP is disabled, that is the answer to every error
            raise
        return GitRequest(address.service, address.wiki, actor, repository)

    async def _find(self, actor: Actor, address: GitAddress) -> RepositoryRow:
        unauthorized = AccessDenied(401, ACCESS_DENIED)
        if actor.anonymous and address.service == "receive-pack":
            raise unauthorized
        try:
            repository = await find_or_create_repository(
                self.services, actor, address.ref, address.service, wiki=address.wiki, protocol="http"
            )
        except AccessDenied:
            if actor.anonymous:
                raise unauthorized from None
            raise
        if repository.http_disabled:
            raise AccessDenied(403, PROTOCOL_DISABLED.format("HTTP"))
        return repository

    async def _repo_path_to_read(self, request: GitRequest) -> Path:
        repository = request.repository
        return await repo_path_to_read(self.services, repository.storage, repository.id, wiki=request.wiki)

    async def _advertise(self, exchange: Exchange, request: GitRequest) -> None:
        repo_path = await self._repo_path_to_read(request)
        kind, protocol = f"application/x-git-{request.service}-advertisement", exchange.git_protocol
        if request.service == "receive-pack":
            check_storage(repo_path)  # git shows the text of an error here, but not of one that follows the pack
        if request.service == "upload-pack" and protocol == "version=2":
            await exchange.answer(200, await self._capabilities(repo_path), kind)
            return
        pieces = packs.advertised(repo_path, request.service, protocol)
        async with git.explained(repo_path):
            first = await anext(pieces, b"")  # before the response begins: a repository that cannot be read is an error
        await exchange.begin(200, kind)
        if "version=2" not in protocol.split(":") or request.service == "receive-pack":
            await exchange.write(packs.line(f"# service=git-{request.service}\n") + packs.FLUSH)
        await exchange.write(first)
        async for piece in pieces:
            await exchange.write(piece)
        await exchange.end()

    async def _capabilities(self, repo_path: Path) -> bytes:
        """The capabilities of protocol version 2.

        Repositories have no configuration of their own, so all have the same capabilities: git is asked once.
        """
        if not self._capabilities_v2:
            self._capabilities_v2 = b"".join(
                [piece async for piece in packs.advertised(repo_path, "upload-pack", "version=2")]
            )
        return self._capabilities_v2

    async def _upload(self, exchange: Exchange, request: GitRequest) -> None:
        repo_path = await self._repo_path_to_read(request)
        write = exchange.writing(kind := "application/x-git-upload-pack-result")
        try:
            async with self._clones.slot(request.actor, request.repository.id):
                code = await packs.upload(
                    repo_path,
                    exchange.git_protocol,
                    _fetch_body(exchange),
                    write,
                    exchange.gone,
                    all_refs=request.all_refs,
                )
        except TooManyRequests:
            exchange.record.outcome = "busy"
            await exchange.answer(200, packs.line(f"ERR {BUSY}"), kind)
        else:
            if code != 0 and (reason := await asyncio.to_thread(find_storage_error, repo_path)):
                raise reason
            await exchange.finish(kind, code)

    async def _receive(self, exchange: Exchange, request: GitRequest) -> None:
        settings = self.services.settings
        urls.instance_address.set(urls.InstanceAddress(exchange.base(settings.external_url), *settings.ssh_address))
        push = Push(
            self.services, request.actor, request.repository, wiki=request.wiki, protocol=request.protocol,
            deploy_key=request.deploy_key,
        )  # fmt: skip
        max_bytes = (settings.max_push_megabytes + REFS_MEGABYTES) * 1024 * 1024
        write = exchange.writing(kind := "application/x-git-receive-pack-result")
        if exchange.header("content-length") == str(len(packs.FLUSH)):
            # Before a large push git sends an empty one to test its authorization, which has succeeded here.
            exchange.record.operation = "advertise"
            await exchange.answer(200, b"", kind)
            return
        try:
            async with self._pushes.slot(request.actor, request.repository.id):
                code = await packs.receive(push, exchange.git_protocol, exchange.body(max_bytes), write)
        except TooManyRequests:
            raise AccessDenied(503, BUSY) from None
        if not push.approved:
            exchange.record.outcome = "rejected"
        await exchange.finish(kind, code)


async def _fetch_body(exchange: Exchange) -> AsyncGenerator[bytes]:
    """The request of a fetch. In protocol version 2, its first line says if it only lists refs."""
    first = True
    async for piece in exchange.body(MAX_FETCH_REQUEST_BYTES):
        if first and piece[4:].startswith(b"command=ls-refs"):
            exchange.record.operation = "ls-refs"
        first = False
        yield piece
