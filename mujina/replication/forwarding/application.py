"""Serving on a secondary: what can be read here is read here, everything else is answered by the primary.

The primary adds the position of its log to the response (`LogPositions`). Until the replica has replayed it, the same
caller's reads are answered by the primary as well (`Forwarding`).
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Any, Final

import msgspec

from mujina.git.exchange import Exchange
from mujina.kernel import errors
from mujina.kernel.db.errors import TemporaryFailure
from mujina.kernel.db.postgres import replication as postgres_replication
from mujina.kernel.db.replica import WriteAttempt, write_attempt
from mujina.kernel.db.transaction import Database
from mujina.kernel.http.applications import Application
from mujina.kernel.http.requests.headers import headers_of
from mujina.kernel.http.requests.log import record_of
from mujina.kernel.monitoring.logs import log
from mujina.kernel.services import Services
from mujina.replication.forwarding.callers import callers_of, new_sessions
from mujina.replication.forwarding.operations import (
    NODE_HEADER,
    POSITION_HEADER,
    Forwarder,
    HostUnreachable,
    forget_position,
    position_of,
    store_position,
)
from mujina.replication.forwarding.rules import find_position
from mujina.replication.nodes.identity import read_identity
from mujina.replication.nodes.operations import find_node_of
from mujina.replication.nodes.tokens import InvalidToken
from mujina.replication.registry.readiness import has_copy
from mujina.replication.sync.operations import Primary

READS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
LFS_BATCH: Final = ".git/info/lfs/objects/batch"
"""The end of the path of a request that reads, or announces uploads: only its body tells."""
LOCAL: Final = ("/-/", "/api/v4/geo/")
"""The paths that every node answers for itself."""
UNREACHABLE_STATUSES: Final = frozenset({502, 503, 504})
"""The statuses of a proxy in front of an absent primary; the responses of the primary have its position."""
UNKNOWN: Final = 401
"""The status with which the primary answers a caller whom it does not know, and who therefore wrote nothing."""
MAX_KEPT_BYTES: Final = 1 << 20
SIGN_IN: Final = frozenset({"/users/sign_in", "/oauth/geo/auth"})
"""Pages that are others on a secondary: they lead to the primary."""
REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})


def at_node(application: Application, services: Services) -> Application:
    """The application as the primary serves it, or as a secondary does."""
    registry = services.registry
    if registry is not None and (identity := read_identity(services.settings.data)) is not None:
        return Forwarding(application, services, registry, Forwarder(Primary(services, identity)))
    return application if services.database.engine == "sqlite" else LogPositions(application, services)


class Forwarding:
    """Passes reads to the application of this secondary, and forwards all other requests to the primary."""

    def __init__(self, application: Application, services: Services, registry: Database, forwarder: Forwarder) -> None:
        self._application = application
        self._services = services
        self._registry = registry
        self._forwarder = forwarder

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        path: str = scope["path"]
        if path.startswith(LOCAL):
            await self._application(scope, receive, send)
        elif _writes(scope):
            await self._forward(scope, receive, send)
        elif await self._is_ahead(scope):
            if path in SIGN_IN:
                # The primary redirects a caller whose session the replica does not have yet; anyone else sees our page.
                await self._forward(scope, _KeptBody(receive), send, otherwise=self._application, redirects_only=True)
            else:
                await self._forward(scope, receive, send)
        elif not await has_copy(self._services, self._registry, path):
            # While the primary is away, an old copy is better than none.
            body = _KeptBody(receive)
            whole = scope["method"] in READS or await body.read()
            await self._forward(scope, body, send, otherwise=self._application if whole else None)
        else:
            await self._read(scope, receive, send)

    async def _read(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        """Answer from the replica; the primary answers what turns out to be incomplete there."""
        if not scope["path"].endswith(LFS_BATCH):
            if await self._was_incomplete(scope, receive, send):
                await self._forward(scope, receive, send)
            return
        body = _KeptBody(receive)
        if not await body.read():
            await self._forward(scope, body, send)
        elif await self._was_incomplete(scope, body, send):
            body.rewind()
            await self._forward(scope, body, send, otherwise=self._application)

    async def _was_incomplete(self, scope: dict[str, Any], receive: Any, send: Any) -> bool:
        """Answer from the replica. True, and nothing is sent, if the primary has to: for a write, or a file that is not here."""
        attempt = WriteAttempt()
        begun = False

        async def answer(message: Mapping[str, Any]) -> None:
            nonlocal begun
            if begun or not attempt.made:
                begun = True
                await send(message)

        token = write_attempt.set(attempt)
        try:
            await self._application(scope, receive, answer)
        finally:
            write_attempt.reset(token)
        return attempt.made and not begun

    async def _is_ahead(self, scope: dict[str, Any]) -> bool:
        """Whether the caller wrote something that the replica does not have yet."""
        callers = callers_of(scope)
        async with self._registry.reading() as tx:
            position = await find_position(tx, callers)
        if position is None:
            return False
        try:
            async with self._services.database.reading() as tx:
                if not await postgres_replication.has_replayed(tx, position):
                    return True
        except TemporaryFailure:
            return True
        await self._note(forget_position, callers)
        return False

    async def _note(self, write: Callable[..., Awaitable[None]], *values: Any) -> None:
        """Write to the registry if that is possible: on a full disk, requests are answered all the same."""
        try:
            async with self._registry.transaction() as tx:
                await write(tx, *values)
        except Exception as error:  # noqa: BLE001 - at worst, a caller reads what was there before
            log.warning("the registry cannot be written", error=repr(error))

    async def _forward(
        self,
        scope: dict[str, Any],
        receive: Any,
        send: Any,
        *,
        otherwise: Application | None = None,
        redirects_only: bool = False,
    ) -> None:
        """Let the primary answer; while it cannot be reached, or if its answer is not wanted, `otherwise`, or 503."""
        record_of(scope).route = "forwarded"
        begun = False
        try:
            async with self._forwarder.send(scope, _body(receive)) as answer:
                begins = new_sessions(answer.headers)
                position = position_of(answer.headers)
                _check_sender(answer.status, position)
                _check_wanted(answer.status, redirects_only=redirects_only)
                wrote = scope["method"] not in READS and answer.status != UNKNOWN
                if position is not None and (begins or wrote):
                    await self._note(store_position, [*callers_of(scope), *begins], position)
                headers = [(name.lower(), value) for name, value in self._forwarder.headers(answer)]
                begun = True
                await send({"type": "http.response.start", "status": answer.status, "headers": headers})
                async for chunk in answer.chunks:
                    await send({"type": "http.response.body", "body": chunk, "more_body": True})
                await send({"type": "http.response.body", "body": b"", "more_body": False})
        except (HostUnreachable, _NotWanted) as error:
            if isinstance(error, HostUnreachable):
                log.warning("the primary could not be reached", error=str(error))
            if begun:
                raise  # the connection is closed: the client must not take a part for the whole
            if otherwise is not None and isinstance(receive, _KeptBody):
                receive.rewind()
                await otherwise(scope, receive, send)
                return
            away = errors.unreachable("the primary")
            await Exchange(scope, receive, send).answer(
                503, msgspec.json.encode(away.body), "application/json", away.headers
            )


class _NotWanted(Exception):
    """The primary answered, but this node has an answer of its own."""


def _writes(scope: Mapping[str, Any]) -> bool:
    if scope["method"] in READS:
        return b"service=git-receive-pack" in scope["query_string"]
    return not (scope["method"] == "POST" and scope["path"].endswith(("/git-upload-pack", LFS_BATCH)))


def _check_wanted(status: int, *, redirects_only: bool) -> None:
    if redirects_only and status not in REDIRECTS:
        raise _NotWanted


def _check_sender(status: int, position: str | None) -> None:
    """The primary answered, and not a proxy in front of it."""
    if position is None and status in UNREACHABLE_STATUSES:
        raise HostUnreachable(f"a proxy answered {status}")


class _KeptBody:
    """`receive` of a request whose body can be read again after `rewind`."""

    def __init__(self, receive: Any) -> None:
        self._receive = receive
        self._messages: list[dict[str, Any]] = []
        self._position = 0
        self._more = True

    async def read(self) -> bool:
        """Read the body; False if it is too long to be kept."""
        size = 0
        while self._more and size < MAX_KEPT_BYTES:
            message = await self._receive()
            self._messages.append(message)
            size += len(message.get("body", b""))
            self._more = message.get("more_body", False)
        return not self._more

    async def __call__(self) -> dict[str, Any]:
        if self._position == len(self._messages):
            return await self._receive()
        self._position += 1
        return self._messages[self._position - 1]

    def rewind(self) -> None:
        self._position = 0


async def _body(receive: Any) -> AsyncIterator[bytes]:
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise HostUnreachable("the client disconnected")
        if message.get("body"):
            yield message["body"]
        if not message.get("more_body", False):
            return


class LogPositions:
    """Adds, on the primary, the position of the log to the responses to requests that secondaries forward."""

    def __init__(self, application: Application, services: Services) -> None:
        self._application = application
        self._services = services
        self._header = NODE_HEADER.lower().encode()

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        credential = headers_of(scope).get(self._header)
        if credential is None or self._services.database.engine != "postgres":
            await self._application(scope, receive, send)
            return
        try:
            _, data = await find_node_of(self._services, credential.decode("latin-1"))
        except (InvalidToken, TemporaryFailure):
            data = {}

        async def answer(message: dict[str, Any]) -> None:
            if message["type"] == "http.response.start" and data == {"forward": True}:
                async with self._services.database.reading() as tx:
                    position = await postgres_replication.log_position(tx)
                headers = [*message["headers"], (POSITION_HEADER.lower().encode(), position.encode())]
                message = {**message, "headers": headers}
            await send(message)

        await self._application(scope, receive, answer)
