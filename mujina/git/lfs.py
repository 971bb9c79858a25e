"""Large files beside git: the batch API, plain transfers through our storage, and locks.

POST {full_path}.git/info/lfs/objects/batch      what to fetch or to send, and where
GET  {full_path}.git/gitlab-lfs/objects/{oid}    PUT …/{oid}/{size}
POST {full_path}.git/info/lfs/locks[/verify|/{id}/unlock], GET …/locks
"""

import hashlib
import re
from collections.abc import AsyncGenerator, Mapping
from typing import Any

import msgspec

from mujina.accounts.credentials.basic import BLOCKED, AuthenticationFailed, find_actor_by_password
from mujina.adapters.storage import FileStorage
from mujina.code.lfs import operations
from mujina.git import lfs_locks
from mujina.git.access import NOT_FOUND, UNAVAILABLE, Denied
from mujina.git.exchange import Cut, Exchange, Receive, Send, Unreadable, decoded
from mujina.git.lfs_answers import CHALLENGE, FORBIDDEN, MISSING, OFF, LfsRefusal, action, read_json
from mujina.git.lfs_login import Operation, Pass, bearer, find_for
from mujina.git.lfs_requests import TYPE, Batch, LfsObjectRef, LfsRequest
from mujina.kernel.actor import ANONYMOUS, Actor
from mujina.kernel.db.errors import TemporaryFailure
from mujina.kernel.db.transaction import Tx
from mujina.kernel.logs import log
from mujina.kernel.params import Ref
from mujina.kernel.services import Services

_ADDRESS = re.compile(r"/(?P<path>.+?)\.git/(?P<page>(info/lfs|gitlab-lfs)/.+)")
_OBJECT = re.compile(r"gitlab-lfs/objects/(?P<oid>[0-9a-f]{64})(/(?P<size>\d{1,15}))?")
_OID = re.compile(r"[0-9a-f]{64}")


def is_for_lfs(path: str) -> bool:
    """Whether a request is for this door."""
    return not path.startswith("/api/") and (".git/info/lfs/" in path or ".git/gitlab-lfs/" in path)


class Lfs:
    """The door of large files."""

    def __init__(self, services: Services) -> None:
        self.services = services
        self.files = FileStorage(services.settings)
        self.most = services.settings.max_body_megabytes * 1024 * 1024

    async def __call__(self, scope: Mapping[str, Any], receive: Receive, send: Send) -> None:
        exchange = Exchange(scope, receive, send)
        try:
            await self._answer(exchange)
        except LfsRefusal as refusal:
            await exchange.answer(refusal.status, refusal.body, TYPE, CHALLENGE if refusal.status == 401 else None)
        except (Unreadable, msgspec.DecodeError) as fault:
            await exchange.answer(422, LfsRefusal(422, str(fault)).body, TYPE)
        except Cut:
            pass
        except TemporaryFailure:
            await exchange.answer(503, LfsRefusal(503, UNAVAILABLE).body, TYPE, {"Retry-After": "1"})
        except Exception:  # noqa: BLE001 - whatever happens, the client is told something
            log.exception("LFS request failed", path=exchange.path)
            await exchange.answer(500, LfsRefusal(500, "Something went wrong on our side.").body, TYPE)

    async def _answer(self, exchange: Exchange) -> None:
        found = _ADDRESS.fullmatch(exchange.path)
        if found is None:
            raise LfsRefusal(404, MISSING)
        path, page = decoded(found["path"]), found["page"]
        match exchange.method, page.split("/"):
            case "POST", ["info", "lfs", "objects", "batch"]:
                batch = await read_json(exchange, Batch, self.most)
                await self._batch(await self._admit(exchange, path, batch.operation), batch)
            case "GET", ["gitlab-lfs", "objects", oid]:
                await self._download(await self._admit(exchange, path, "download"), oid)
            case "PUT", ["gitlab-lfs", "objects", *_] if named := _OBJECT.fullmatch(page):
                visit = await self._admit(exchange, path, "upload")
                await self._upload(visit, named["oid"], int(named["size"] or -1))
            case _, ["info", "lfs", "locks", *rest]:
                right: Operation = "download" if exchange.method == "GET" else "upload"
                await lfs_locks.answer(await self._admit(exchange, path, right), rest, self.most)
            case (("POST" | "GET"), ["info", "lfs", "objects", *_]):
                raise LfsRefusal(501, "Server supports batch API only, please update your Git LFS client.")
            case _:
                raise LfsRefusal(404, MISSING)

    async def _admit(self, exchange: Exchange, path: str | None, operation: Operation) -> LfsRequest:
        """Who asks may do so; the words of git's own door are translated into this API's."""
        try:
            actor, only = await self._believe(exchange)
            async with self.services.database.reading() as tx:
                ref = Ref("" if path is None or path.isdigit() else path)
                repository = await find_for(tx, actor, only and only.deploy_key, ref, operation)
            if only is not None and not only.opens(repository, operation):
                raise Denied(404, NOT_FOUND)  # noqa: TRY301 - told as if there were nothing
        except AuthenticationFailed as refusal:
            raise LfsRefusal(refusal.status, refusal.text.strip()) from None
        except Denied as refusal:
            if not exchange.login:
                raise LfsRefusal(401, "Credentials needed.") from None
            raise LfsRefusal(refusal.status, MISSING if refusal.status == 404 else FORBIDDEN) from None
        if not repository.lfs_enabled:
            raise LfsRefusal(501, OFF)
        return LfsRequest(self.services, exchange, actor, repository, only and only.deploy_key)

    async def _believe(self, exchange: Exchange) -> tuple[Actor, Pass | None]:
        """The person, and if their credential is one of SSH, what it is good for."""
        login = exchange.login
        if login is None:
            return ANONYMOUS, None
        async with self.services.database.reading() as tx:
            found = await bearer(tx, self.services, login[1])
        if found is None:
            return await find_actor_by_password(self.services, *login, exchange.address), None
        return found

    async def _batch(self, visit: LfsRequest, batch: Batch) -> None:
        if not batch.objects:
            raise LfsRefusal(404, MISSING)
        oids = [wanted.oid for wanted in batch.objects if _OID.fullmatch(wanted.oid)]
        async with self.services.database.reading() as tx:
            held = await operations.held(tx, visit.repository.id, oids)
        objects = [self._offer(visit, batch.operation, wanted, held) for wanted in batch.objects]
        await visit.answer(200, {"transfer": "basic", "hash_algo": "sha256", "objects": objects})

    def _offer(self, visit: LfsRequest, operation: Operation, wanted: LfsObjectRef, held: set[str]) -> dict[str, Any]:
        """One object with where to fetch or send it; without an action if it is here already."""
        offer: dict[str, Any] = {"oid": wanted.oid, "size": wanted.size}
        if not _OID.fullmatch(wanted.oid) or wanted.size < 0:
            return offer | {"error": {"code": 422, "message": "The object's name or size is invalid."}}
        if operation == "download":
            if wanted.oid not in held:
                return offer | {"error": {"code": 404, "message": "Object does not exist on the server."}}
            return offer | {"authenticated": True, "actions": {"download": action(visit, wanted.oid)}}
        if wanted.oid in held:
            return offer
        return offer | {"authenticated": True, "actions": {"upload": action(visit, wanted.oid, wanted.size)}}

    async def _download(self, visit: LfsRequest, oid: str) -> None:
        async with self.services.database.reading() as tx:
            found = await operations.find(tx, visit.repository.id, oid)
        if found is None:
            raise LfsRefusal(404, MISSING)
        file, size = found
        pieces = await self.files.pieces(file)
        await visit.exchange.begin(200, "application/octet-stream", {"Content-Length": str(size)})
        async for piece in pieces:
            await visit.exchange.write(bytes(piece))
        await visit.exchange.end()

    async def _upload(self, visit: LfsRequest, oid: str, size: int) -> None:
        """Kept only if it is what it was announced to be."""
        most = self.services.settings.max_push_megabytes * 1024 * 1024
        async with self.services.database.transaction() as tx:
            file = await operations.expect(tx, oid)
        await self.files.put_pieces(file, _verified(visit.exchange.body(most), oid, size))
        kept = False
        try:
            async with self.services.database.transaction() as tx:
                await self._check_again(tx, visit)
                kept = await operations.keep(tx, visit.actor, visit.repository.id, oid, size, file)
        finally:
            if not kept:
                await self.files.remove(file)
        await visit.answer(200, None)

    async def _check_again(self, tx: Tx, visit: LfsRequest) -> None:
        """Access may have ended, or the project, while the content was on its way."""
        try:
            found = await find_for(tx, visit.actor, visit.deploy_key, Ref.of(visit.repository.id), "upload")
        except Denied as refusal:
            raise LfsRefusal(refusal.status, MISSING if refusal.status == 404 else FORBIDDEN) from None
        if found.blocked:
            raise LfsRefusal(403, BLOCKED)


async def _verified(pieces: AsyncGenerator[bytes], oid: str, size: int) -> AsyncGenerator[bytes]:
    """The pieces; at their end `Unreadable` if they were not this many bytes of this digest."""
    digest, seen = hashlib.sha256(), 0
    async for piece in pieces:
        digest.update(piece)
        seen += len(piece)
        yield piece
    if seen != size or digest.hexdigest() != oid:
        raise Unreadable("The content is not what its name and size say.")
