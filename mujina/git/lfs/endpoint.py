"""Git LFS: the batch API, transfers through our storage, and locks.

POST {full_path}.git/info/lfs/objects/batch      where to download or upload objects
GET  {full_path}.git/gitlab-lfs/objects/{oid}    PUT …/{oid}/{size}
POST {full_path}.git/info/lfs/locks[/verify|/{id}/unlock], GET …/locks
"""

import hashlib
from collections.abc import AsyncGenerator, Mapping
from typing import Any

import msgspec

from mujina.accounts.credentials.basic import ACCESS_DENIED, BLOCKED, AuthenticationFailed, find_actor_by_password
from mujina.adapters.storage import FileStorage
from mujina.code.lfs import operations
from mujina.code.pushes.access import NOT_FOUND, UNAVAILABLE, AccessDenied
from mujina.git.exchange import Exchange, MalformedRequest, Receive, Send, decoded
from mujina.git.lfs import locks as lfs_locks
from mujina.git.lfs.login import LfsToken, Operation, find_bearer, find_lfs_repository
from mujina.git.lfs.requests import TYPE, Batch, LfsObjectRef, LfsRequest
from mujina.git.lfs.responses import FORBIDDEN, MISSING, OFF, LfsError, action, read_json
from mujina.git.requests import find_credential
from mujina.kernel.db.errors import TemporaryFailure
from mujina.kernel.db.replica import ReadOnlyReplica, ask_primary
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import ApiError
from mujina.kernel.http.params import Ref
from mujina.kernel.http.requests.log import ClientDisconnected
from mujina.kernel.limits.requests import RequestLimits
from mujina.kernel.monitoring.logs import log
from mujina.kernel.permissions.actor import ANONYMOUS, Actor
from mujina.kernel.services import Services
from mujina.kernel.storage.errors import StorageMissing, storage_problem, storage_status
from mujina.kernel.storage.opening import open_file
from mujina.kernel.text.deferred_patterns import deferred_pattern

_ADDRESS = deferred_pattern(r"/(?P<path>.+?)\.git/(?P<page>(info/lfs|gitlab-lfs)/.+)")
_OBJECT = deferred_pattern(r"gitlab-lfs/objects/(?P<oid>[0-9a-f]{64})(/(?P<size>\d{1,15}))?")
_OID = deferred_pattern(r"[0-9a-f]{64}")


def is_for_lfs(path: str) -> bool:
    """Whether a request is for LFS."""
    return not path.startswith("/api/") and (".git/info/lfs/" in path or ".git/gitlab-lfs/" in path)


class Lfs:
    """Git LFS as an ASGI application."""

    def __init__(self, services: Services) -> None:
        self.services = services
        self._limits = RequestLimits(services)
        self._limited = self._limits.of_git()
        self.files = FileStorage(services.settings)
        self.max_body_bytes = services.settings.max_body_megabytes * 1024 * 1024

    async def __call__(self, scope: Mapping[str, Any], receive: Receive, send: Send) -> None:
        exchange = Exchange(scope, receive, send)
        exchange.record.route, exchange.record.operation = ":path.git/lfs", "lfs"
        try:
            await self._answer(exchange)
        except LfsError as error:
            await exchange.answer(error.status, error.body, TYPE, error.headers)
        except StorageMissing as error:
            await exchange.answer(503, LfsError(503, str(error)).body, TYPE, error.headers)
        except ApiError as error:
            await exchange.answer(error.status, LfsError(error.status, error.reasons[0]).body, TYPE, error.headers)
        except (MalformedRequest, msgspec.DecodeError) as error:
            await exchange.answer(422, LfsError(422, str(error)).body, TYPE)
        except ClientDisconnected:
            raise
        except Exception as error:  # noqa: BLE001 - the client gets a response in any case
            if sentence := storage_problem(error):
                log.error("storage cannot be used", path=exchange.path, exc_info=error)
                status = storage_status(sentence)
                await exchange.answer(status, LfsError(status, sentence).body, TYPE)
                return
            if isinstance(error, TemporaryFailure):
                await exchange.answer(503, LfsError(503, UNAVAILABLE).body, TYPE, {"Retry-After": "1"})
                return
            log.exception("LFS request failed", path=exchange.path)
            await exchange.answer(500, LfsError(500, "Something went wrong on our side.").body, TYPE)

    async def _answer(self, exchange: Exchange) -> None:
        found = _ADDRESS.fullmatch(exchange.path)
        if found is None:
            raise LfsError(404, MISSING)
        path, page = decoded(found["path"]), found["page"]
        match exchange.method, page.split("/"):
            case "POST", ["info", "lfs", "objects", "batch"]:
                batch = await read_json(exchange, Batch, self.max_body_bytes)
                await self._batch(await self._authorize(exchange, path, batch.operation), batch)
            case "GET", ["gitlab-lfs", "objects", oid]:
                await self._download(await self._authorize(exchange, path, "download"), oid)
            case "PUT", ["gitlab-lfs", "objects", *_] if named := _OBJECT.fullmatch(page):
                request = await self._authorize(exchange, path, "upload")
                await self._upload(request, named["oid"], int(named["size"] or -1))
            case _, ["info", "lfs", "locks", *rest]:
                right: Operation = "download" if exchange.method == "GET" else "upload"
                await lfs_locks.answer(await self._authorize(exchange, path, right), rest, self.max_body_bytes)
            case (("POST" | "GET"), ["info", "lfs", "objects", *_]):
                raise LfsError(501, "Server supports batch API only, please update your Git LFS client.")
            case _:
                raise LfsError(404, MISSING)

    async def _authorize(self, exchange: Exchange, path: str | None, operation: Operation) -> LfsRequest:
        """Authenticate and authorize; errors of git access become errors of this API."""
        try:
            actor, token = await self._authenticate(exchange)
            exchange.record.acts(actor)
            exchange.record.key = token and token.deploy_key
            async with self.services.database.reading() as tx:
                ref = Ref("" if path is None or path.isdigit() else path)
                repository = await find_lfs_repository(tx, actor, token and token.deploy_key, ref, operation)
            if token is not None and not token.allows(repository, operation):
                raise AccessDenied(404, NOT_FOUND)  # noqa: TRY301 - answered as if there were none
            await self._limits.count(self._limited, actor, deploy_key=token and token.deploy_key)
        except AuthenticationFailed as error:
            raise LfsError(error.status, error.text.strip(), error.headers) from None
        except AccessDenied as error:
            if not exchange.login:
                raise LfsError(401, "Credentials needed.") from None
            raise LfsError(error.status, MISSING if error.status == 404 else FORBIDDEN) from None
        if not repository.lfs_enabled:
            raise LfsError(501, OFF)
        return LfsRequest(self.services, exchange, actor, repository, token and token.deploy_key)

    async def _authenticate(self, exchange: Exchange) -> tuple[Actor, LfsToken | None]:
        """The actor, and the content of their token if it was issued over SSH."""
        login = exchange.login
        if login is None:
            if find_credential(self.services, exchange) is not None:  # such a client copies files, not LFS objects
                raise AuthenticationFailed(401, ACCESS_DENIED)
            return ANONYMOUS, None
        async with self.services.database.reading() as tx:
            found = await find_bearer(tx, self.services, login[1])
        if found is None:
            return await find_actor_by_password(self.services, *login, exchange.address), None
        return found

    async def _batch(self, request: LfsRequest, batch: Batch) -> None:
        if not batch.objects:
            raise LfsError(404, MISSING)
        oids = [wanted.oid for wanted in batch.objects if _OID.fullmatch(wanted.oid)]
        async with self.services.database.reading() as tx:
            held = await operations.present(tx, request.repository.id, oids)
        self._check_node(batch, complete=held.issuperset(oids))
        objects = [self._offer(request, batch.operation, wanted, held) for wanted in batch.objects]
        await request.answer(200, {"transfer": "basic", "hash_algo": "sha256", "objects": objects})

    def _check_node(self, batch: Batch, *, complete: bool) -> None:
        """A secondary offers downloads; uploads, and objects that it does not know yet, are for the primary."""
        if self.services.secondary is not None:
            if batch.operation == "upload" or not complete:
                ask_primary()
            if batch.operation == "upload":
                raise ReadOnlyReplica

    def _offer(self, request: LfsRequest, operation: Operation, wanted: LfsObjectRef, held: set[str]) -> dict[str, Any]:
        """One object with its download or upload action; without an action if it need not be uploaded."""
        offer: dict[str, Any] = {"oid": wanted.oid, "size": wanted.size}
        if not _OID.fullmatch(wanted.oid) or wanted.size < 0:
            return offer | {"error": {"code": 422, "message": "The object's name or size is invalid."}}
        if operation == "download":
            if wanted.oid not in held:
                return offer | {"error": {"code": 404, "message": "Object does not exist on the server."}}
            return offer | {"authenticated": True, "actions": {"download": action(request, wanted.oid)}}
        if wanted.oid in held:
            return offer
        return offer | {"authenticated": True, "actions": {"upload": action(request, wanted.oid, wanted.size)}}

    async def _download(self, request: LfsRequest, oid: str) -> None:
        async with self.services.database.reading() as tx:
            found = await operations.find(tx, request.repository.id, oid)
        if found is None:
            raise LfsError(404, MISSING)
        file, size = found
        pieces = await open_file(self.services, file, LfsError(404, MISSING))
        await request.exchange.begin(200, "application/octet-stream", {"Content-Length": str(size)})
        async for piece in pieces:
            await request.exchange.write(piece)
        await request.exchange.end()

    async def _upload(self, request: LfsRequest, oid: str, size: int) -> None:
        """Store the content if its digest and size match."""
        max_bytes = self.services.settings.max_push_megabytes * 1024 * 1024
        file = operations.new_file(oid)
        await self.files.put(file, _verified(request.exchange.body(max_bytes), oid, size))
        stored = False
        try:
            async with self.services.database.transaction() as tx:
                await self._check_again(tx, request)
                stored = await operations.store_object(tx, request.actor, request.repository.id, oid, size, file)
        finally:
            if not stored:
                await self.files.remove(file)
        await request.answer(200, None)

    async def _check_again(self, tx: Tx, request: LfsRequest) -> None:
        """The actor's access or the project may have ended during the upload."""
        try:
            found = await find_lfs_repository(
                tx, request.actor, request.deploy_key, Ref.of(request.repository.id), "upload"
            )
        except AccessDenied as error:
            raise LfsError(error.status, MISSING if error.status == 404 else FORBIDDEN) from None
        if found.blocked:
            raise LfsError(403, BLOCKED)


async def _verified(pieces: AsyncGenerator[bytes], oid: str, size: int) -> AsyncGenerator[bytes]:
    """The pieces; `MalformedRequest` at their end if size or digest do not match."""
    digest, seen = hashlib.sha256(), 0
    async for piece in pieces:
        digest.update(piece)
        seen += len(piece)
        yield piece
    if seen != size or digest.hexdigest() != oid:
        raise MalformedRequest("The content is not what its name and size say.")
