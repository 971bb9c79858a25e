"""Everything that dials out over HTTP goes through here, and reaches only what the guard lets through.

A request is one connection. Nothing comes from the environment but the certificates to trust: no proxy, no netrc.
Nothing is kept: no cookie, no connection. Nothing is logged: paths and headers carry the secrets of their receivers.
"""

import asyncio
import base64
from collections.abc import Iterable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import NamedTuple, TypedDict, Unpack

import msgspec

from mujina.adapters.outbound_dial import Dialer, HostUnreachable
from mujina.adapters.outbound_guard import OutboundForbidden, OutboundGuard
from mujina.adapters.outbound_url import OutboundTarget
from mujina.kernel import deferred_imports

_MOVED = {301, 302, 303, 307, 308}
_MOVED_AS_IS = {307, 308}


class Timeouts(NamedTuple):
    """Seconds to wait: for a connection, for the next bytes, and for everything together, redirects included."""

    connect: float = 5
    read: float = 10
    total: float = 30


DEFAULT_TIMEOUTS = Timeouts()


class OutboundResponse(NamedTuple):
    """What was answered; names of headers in lower case. `cut`: the body was longer, and the rest was not read."""

    status: int
    headers: dict[str, str]
    body: bytes
    cut: bool


class PinnedAddress(NamedTuple):
    """A judged address of a host, for a program that dials by itself and can be told where."""

    host: str
    port: int
    address: str


class RequestOptions(TypedDict, total=False):
    """How to ask; everything may be left out."""

    headers: Mapping[str, str]
    auth: tuple[str, str]
    """User and password; they go before those in the URL."""
    verify_tls: bool
    timeouts: Timeouts
    follow: int
    """How many redirects to follow, each judged like the first call; none unless said."""
    at_most: int
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
    at_most: int = 1 << 20

    def lines(self) -> list[tuple[bytes, bytes]]:
        """The headers as they are sent."""
        lines = {"Host": self.target.authority, "User-Agent": "Mujina", "Accept": "*/*", "Accept-Encoding": "identity"}
        lines |= {"Connection": "close", **self.headers}
        if self.body is not None:
            lines["Content-Length"] = str(len(self.body))
        if self.auth:
            lines["Authorization"] = "Basic " + base64.b64encode(":".join(self.auth).encode()).decode()
        return [(name.encode(), value.encode()) for name, value in lines.items()]

    def redirected(self, answer: OutboundResponse) -> "_Request":
        """The next hop. What was meant for this host alone, headers and password, is not told to another."""
        moved = replace(self, target=self.target.join(answer.headers["location"]), follow=self.follow - 1)
        if answer.status not in _MOVED_AS_IS:
            moved = replace(moved, method="GET", body=None)
        if moved.target.origin != self.target.origin:
            harmless = {name: value for name, value in self.headers.items() if name.lower() == "content-type"}
            moved = replace(moved, headers=harmless, auth=None)
        return moved


class Outbound:
    """The only way out. `allow` lists local hosts and networks that may be called (`localhost:8080`, `10.0.0.0/8`)."""

    def __init__(self, allow: Iterable[str] = ()) -> None:
        self._dialer = Dialer(OutboundGuard(allow))

    async def get(self, url: str, **how: Unpack[RequestOptions]) -> OutboundResponse:
        """The answer to a GET, whatever its status, or `OutboundForbidden`, or `HostUnreachable`."""
        return await self._ask("GET", url, None, how)

    async def post(
        self, url: str, *, body: bytes = b"", json: object = None, **how: Unpack[RequestOptions]
    ) -> OutboundResponse:
        """The answer to a POST of bytes or of JSON, whatever its status, or `OutboundForbidden`, or `HostUnreachable`."""
        if json is not None:
            body = msgspec.json.encode(json)
            how["headers"] = {"Content-Type": "application/json", **how.get("headers", {})}
        return await self._ask("POST", url, body, how)

    async def pinned(self, url: str) -> PinnedAddress:
        """Where the host of the URL may be called, for programs such as git that dial by themselves."""
        target = OutboundTarget.parse(url)
        return PinnedAddress(target.host, target.port, (await self._dialer.resolve(target))[0])

    def rejection(self, url: str) -> str | None:
        """Why a URL is not accepted from a user, or None. What a name leads to is judged whenever it is called."""
        try:
            self._dialer.check(OutboundTarget.parse(url))
        except OutboundForbidden as refusal:
            return str(refusal)
        return None

    async def aclose(self) -> None:
        self._dialer.close()

    async def _ask(self, method: str, url: str, body: bytes | None, how: RequestOptions) -> OutboundResponse:
        target = OutboundTarget.parse(url)
        request = _Request(method=method, target=target, body=body, **how)
        request = replace(request, auth=request.auth or target.auth)
        try:
            async with asyncio.timeout(request.timeouts.total):
                answer = await self._speak(request)
                while request.follow and answer.status in _MOVED and "location" in answer.headers:
                    request = request.redirected(answer)
                    answer = await self._speak(request)
        except TimeoutError:
            raise HostUnreachable(f"{request.target.authority} did not answer in time.") from None
        return answer

    async def _speak(self, request: _Request) -> OutboundResponse:
        """Ask once."""
        core = deferred_imports.httpcore2()
        where, verify_tls, wait = request.target, request.verify_tls, request.timeouts
        url = core.URL(scheme=where.scheme, host=where.host, port=where.port, target=where.path)
        waits = {"timeout": {"read": wait.read, "write": wait.read}}
        asked = core.Request(request.method, url, headers=request.lines(), content=request.body, extensions=waits)
        body = bytearray()
        try:
            async with self._dialer.connection(where, verify_tls=verify_tls, seconds=wait.connect) as connection:
                response = await connection.handle_async_request(asked)
                async with aclosing(response.aiter_stream()) as chunks:
                    async for chunk in chunks:
                        body += chunk
                        if len(body) > request.at_most:
                            break
        except core.TimeoutException:
            raise HostUnreachable(f"{where.authority} did not answer in time.") from None
        except core.LocalProtocolError:
            raise OutboundForbidden("A header can not be sent over HTTP.") from None
        except (core.NetworkError, core.ProtocolError) as error:
            raise HostUnreachable(f"{where.authority} could not be reached: {error}") from error
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in response.headers}
        return OutboundResponse(response.status, headers, bytes(body[: request.at_most]), len(body) > request.at_most)
