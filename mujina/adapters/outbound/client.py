"""The HTTP client for all outbound requests. It only connects to addresses that the guard allows.

Each request has its own connection, unless a client keeps them (`keep`). Of the environment only the trusted certificates
count: no proxy, no netrc. No cookie is kept. Nothing is logged: paths and headers contain secrets of the receivers.
"""

import asyncio
import base64
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple, TypedDict, Unpack

import msgspec

from mujina.adapters.outbound.dial import Dialer, HostUnreachable
from mujina.adapters.outbound.guard import OutboundForbidden, OutboundGuard
from mujina.adapters.outbound.url import OutboundTarget
from mujina.kernel import deferred_imports

REDIRECTS = {301, 302, 303, 307, 308}
_SAME_METHOD_REDIRECTS = {307, 308}


class Timeouts(NamedTuple):
    """Seconds for a connection, for the next bytes, and for everything together, redirects included."""

    connect: float = 5
    read: float = 10
    total: float = 30


DEFAULT_TIMEOUTS = Timeouts()


class OutboundResponse(NamedTuple):
    """A response; names of headers in lower case. `truncated`: the rest of the body was not read."""

    status: int
    headers: dict[str, str]
    body: bytes
    truncated: bool


class OutboundStream(NamedTuple):
    """A response whose body is read in chunks."""

    status: int
    headers: Sequence[tuple[bytes, bytes]]
    chunks: AsyncIterator[bytes]


class PinnedAddress(NamedTuple):
    """An allowed address of a host, for a program that connects by itself."""

    host: str
    port: int
    address: str


class RequestOptions(TypedDict, total=False):
    """Options of a request."""

    headers: Mapping[str, str]
    auth: tuple[str, str]
    """User and password; they take precedence over those in the URL."""
    verify_tls: bool
    timeouts: Timeouts
    follow: int
    """How many redirects to follow, each checked like the first URL; none by default."""
    max_bytes: int
    """Bytes of the body to read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Request:
    method: str
    target: OutboundTarget
    body: bytes | None = field(repr=False)
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    auth: tuple[str, str] | None = field(default=None, repr=False)
    verify_tls: bool = True
    timeouts: Timeouts = DEFAULT_TIMEOUTS
    follow: int = 0
    max_bytes: int = 1 << 20

    def lines(self, *, keep: bool) -> list[tuple[bytes, bytes]]:
        """The headers as they are sent."""
        lines = {"Host": self.target.authority, "User-Agent": "Mujina", "Accept": "*/*", "Accept-Encoding": "identity"}
        lines |= {**({} if keep else {"Connection": "close"}), **self.headers}
        if self.body is not None:
            lines["Content-Length"] = str(len(self.body))
        if self.auth:
            lines["Authorization"] = "Basic " + base64.b64encode(":".join(self.auth).encode()).decode()
        return [(name.encode(), value.encode()) for name, value in lines.items()]

    def redirected(self, response: OutboundResponse) -> "_Request":
        """The request to the redirect's target. Headers and password are not sent to another host."""
        moved = replace(self, target=self.target.join(response.headers["location"]), follow=self.follow - 1)
        if response.status not in _SAME_METHOD_REDIRECTS:
            moved = replace(moved, method="GET", body=None)
        if moved.target.origin != self.target.origin:
            kept = {name: value for name, value in self.headers.items() if name.lower() == "content-type"}
            moved = replace(moved, headers=kept, auth=None)
        return moved


class Outbound:
    """The outbound client. `allow` lists local hosts and networks that may be called (`localhost:8080`, `10.0.0.0/8`).

    With `ca_file`, the certificates in it are trusted and no others. With `keep`, the connection of a GET stays open for the
    next one to the same host, until `aclose`: for a client that asks one host for much.
    """

    def __init__(self, allow: Iterable[str] = (), *, ca_file: Path | None = None, keep: bool = False) -> None:
        self._dialer = Dialer(OutboundGuard(allow), ca_file)
        self._keep = keep

    async def get(self, url: str, **options: Unpack[RequestOptions]) -> OutboundResponse:
        """The response to a GET, whatever its status; or `OutboundForbidden`, or `HostUnreachable`."""
        return await self._ask("GET", url, None, options)

    async def post(
        self, url: str, *, body: bytes = b"", json: object = None, **options: Unpack[RequestOptions]
    ) -> OutboundResponse:
        """The response to a POST of bytes or JSON, whatever its status; or `OutboundForbidden`, or `HostUnreachable`."""
        if json is not None:
            body = msgspec.json.encode(json)
            options["headers"] = {"Content-Type": "application/json", **options.get("headers", {})}
        return await self._ask("POST", url, body, options)

    async def pinned(self, url: str, *, ssh: bool = False) -> PinnedAddress:
        """An allowed address of the URL's host, for programs such as git that connect by themselves."""
        target = OutboundTarget.parse(url, ssh=ssh)
        return PinnedAddress(target.host, target.port, (await self._dialer.resolve(target))[0])

    def rejection(self, url: str, *, ssh: bool = False) -> str | None:
        """Why a URL of a user is rejected; None if it is not. A host name is resolved and checked at each request."""
        try:
            self._dialer.check(OutboundTarget.parse(url, ssh=ssh))
        except OutboundForbidden as error:
            return str(error)
        return None

    @asynccontextmanager
    async def exchange(
        self, method: str, url: str, headers: Sequence[tuple[bytes, bytes]], body: AsyncIterator[bytes] | None,
        timeouts: Timeouts = DEFAULT_TIMEOUTS,
    ) -> AsyncGenerator[OutboundStream]:  # fmt: skip
        """One request whose body and response are streams, for servers of our own; no redirect is followed.

        `HostUnreachable` if the response does not begin, and from its `chunks` if it breaks off.
        """
        core = deferred_imports.httpcore2()
        where = OutboundTarget.parse(url)
        address = core.URL(scheme=where.scheme, host=where.host, port=where.port, target=where.path)
        lines = [(b"Host", where.authority.encode()), (b"Connection", b"close"), *headers]
        waits = {"timeout": {"read": timeouts.read, "write": timeouts.read}}
        sent = core.Request(method, address, headers=lines, content=body, extensions=waits)
        try:
            async with self._dialer.connection(where, verify_tls=True, seconds=timeouts.connect) as connection:
                received = await connection.handle_async_request(sent)
                async with aclosing(received.aiter_stream()) as chunks:
                    yield OutboundStream(received.status, received.headers, chunks)
        except (TimeoutError, core.TimeoutException):
            raise HostUnreachable(f"{where.authority} did not answer in time.") from None
        except (core.NetworkError, core.ProtocolError) as error:
            raise HostUnreachable(f"{where.authority} could not be reached: {error}") from error

    async def aclose(self) -> None:
        await self._dialer.aclose()

    async def _ask(self, method: str, url: str, body: bytes | None, options: RequestOptions) -> OutboundResponse:
        target = OutboundTarget.parse(url)
        request = _Request(method=method, target=target, body=body, **options)
        request = replace(request, auth=request.auth or target.auth)
        try:
            async with asyncio.timeout(request.timeouts.total):
                response = await self._send(request)
                while request.follow and response.status in REDIRECTS and "location" in response.headers:
                    request = request.redirected(response)
                    response = await self._send(request)
        except TimeoutError:
            raise HostUnreachable(f"{request.target.authority} did not answer in time.") from None
        return response

    async def _send(self, request: _Request) -> OutboundResponse:
        """One request, without redirects."""
        core = deferred_imports.httpcore2()
        where, verify_tls, wait = request.target, request.verify_tls, request.timeouts
        # A host may close a connection at the moment of a request. Only a GET is harmless if it is then sent again.
        keep = self._keep and request.method == "GET"
        url = core.URL(scheme=where.scheme, host=where.host, port=where.port, target=where.path)
        waits = {"timeout": {"read": wait.read, "write": wait.read}}
        sent = core.Request(
            request.method, url, headers=request.lines(keep=keep), content=request.body, extensions=waits
        )
        body = bytearray()
        try:
            async with self._dialer.connection(
                where, verify_tls=verify_tls, seconds=wait.connect, keep=keep
            ) as connection:
                received = await connection.handle_async_request(sent)
                async with aclosing(received), aclosing(received.aiter_stream()) as chunks:
                    async for chunk in chunks:
                        body += chunk
                        if len(body) > request.max_bytes:
                            break
        except core.TimeoutException:
            raise HostUnreachable(f"{where.authority} did not answer in time.") from None
        except core.LocalProtocolError:
            raise OutboundForbidden("A header can not be sent over HTTP.") from None
        except (core.NetworkError, core.ProtocolError) as error:
            raise HostUnreachable(f"{where.authority} could not be reached: {error}") from error
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in received.headers}
        return OutboundResponse(
            received.status, headers, bytes(body[: request.max_bytes]), len(body) > request.max_bytes
        )
