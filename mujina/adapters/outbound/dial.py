"""Opens connections to checked addresses only.

A host is resolved once, checked, and connected to at the checked address: a later DNS answer has no effect. TLS and HTTP
use the host name. A connection that is kept is used again for the same scheme, host and port only.
"""

import asyncio
import socket
import ssl
from collections.abc import AsyncGenerator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, cast

from mujina.adapters.outbound.guard import OutboundGuard, is_localhost
from mujina.adapters.outbound.url import OutboundTarget
from mujina.kernel import deferred_imports

if TYPE_CHECKING:
    from httpcore2 import AsyncHTTP11Connection, AsyncNetworkBackend, AsyncNetworkStream


MAX_KEPT: Final = 16
"""Connections that wait for another request, to all hosts together: a source may name any number of hosts."""


class HostUnreachable(Exception):
    """The host did not answer, or not in time, or not in HTTP; a retry may succeed."""


class _KeptConnection(NamedTuple):
    origin: tuple[str, str, int]
    verify_tls: bool
    connection: "AsyncHTTP11Connection"


class Dialer:
    """Resolves a host, checks its addresses and connects."""

    def __init__(self, guard: OutboundGuard, ca_file: Path | None = None) -> None:
        self._guard = guard
        self._ca_file = ca_file
        self._kept: list[_KeptConnection] = []
        """The one that has waited longest is the first."""
        # Resolvers may block for long: they have threads of their own.
        self._resolvers = ThreadPoolExecutor(16, thread_name_prefix="resolve")

    def check(self, target: OutboundTarget) -> None:
        """Reject a host that is a forbidden address in any notation. Names are not resolved."""
        self._admit(target, _literal(target))

    async def resolve(self, target: OutboundTarget) -> list[str]:
        """The addresses of the host, all of which may be called, at least one, in the order the system prefers."""
        try:
            # A literal address needs no thread: nothing is asked.
            addresses = _numeric(target) or await asyncio.get_running_loop().run_in_executor(
                self._resolvers, _resolve, target
            )
        except socket.gaierror as error:
            raise HostUnreachable(f"{target.host} could not be resolved: {error.strerror}.") from None
        return self._admit(target, addresses)

    @asynccontextmanager
    async def connection(
        self, target: OutboundTarget, *, verify_tls: bool, seconds: float, keep: bool = False
    ) -> "AsyncGenerator[AsyncHTTP11Connection]":
        """A connection to the host, closed at the end. With `keep`, it may be one that was kept, and is kept if it can be."""
        connection = (keep and await self._take(target, verify_tls)) or await self._open(target, verify_tls, seconds)
        try:
            yield connection
        finally:
            if keep and connection.is_idle():
                self._kept.append(_KeptConnection(target.origin, verify_tls, connection))
                connection = self._kept.pop(0).connection if len(self._kept) > MAX_KEPT else None
            if connection is not None:
                await connection.aclose()

    async def aclose(self) -> None:
        """Close what was kept."""
        while self._kept:
            await self._kept.pop().connection.aclose()
        self._resolvers.shutdown(wait=False, cancel_futures=True)

    async def _take(self, target: OutboundTarget, verify_tls: bool) -> "AsyncHTTP11Connection | None":
        """A connection to this host that was kept, and that the host has not closed; None if there is none."""
        wanted = target.origin, verify_tls
        while (kept := next((each for each in reversed(self._kept) if each[:2] == wanted), None)) is not None:
            self._kept.remove(kept)
            if not kept.connection.has_expired():
                return kept.connection
            await kept.connection.aclose()
        return None

    async def _open(self, target: OutboundTarget, verify_tls: bool, seconds: float) -> "AsyncHTTP11Connection":
        core = deferred_imports.httpcore2()
        stream = await self._connect(target, seconds)
        try:
            if target.scheme == "https":
                context = self._verifying if verify_tls else self._unverifying
                stream = await stream.start_tls(context, server_hostname=target.host, timeout=seconds)
        except BaseException:
            await stream.aclose()
            raise
        origin = core.Origin(target.scheme.encode(), target.host.encode(), target.port)
        return core.AsyncHTTP11Connection(origin, stream)

    async def _connect(self, target: OutboundTarget, seconds: float) -> "AsyncNetworkStream":
        core = deferred_imports.httpcore2()
        backend = cast("AsyncNetworkBackend", core.AnyIOBackend())
        failure: Exception | None = None
        async with asyncio.timeout(seconds):
            addresses = await self.resolve(target)
            for address in addresses:
                try:
                    # An equal share of the time for each: an address that drops packets leaves time for the next.
                    return await backend.connect_tcp(address, target.port, timeout=seconds / len(addresses))
                except (core.ConnectError, core.ConnectTimeout) as error:
                    failure = failure or error
        raise failure or TimeoutError

    def _admit(self, target: OutboundTarget, addresses: list[str]) -> list[str]:
        own = set(filter(_is_own, addresses))
        return self._guard.admit(target.host, target.port, addresses, own, ssh=target.scheme == "ssh")

    @cached_property
    def _verifying(self) -> ssl.SSLContext:
        if self._ca_file is None:
            return deferred_imports.httpcore2().default_ssl_context()
        try:
            return ssl.create_default_context(cafile=self._ca_file)
        except OSError as error:
            raise HostUnreachable(f"The certificates in {self._ca_file} cannot be read: {error.strerror}.") from None

    @cached_property
    def _unverifying(self) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        return context


def _resolve(target: OutboundTarget, flags: int = 0) -> list[str]:
    """The addresses of a host as the system resolves it, which knows notations such as `0x7f.1` and `2130706433`."""
    found = socket.getaddrinfo(target.host.encode(), target.port, type=socket.SOCK_STREAM, flags=flags)
    return [str(address[0]) for *_, address in found]


def _literal(target: OutboundTarget) -> list[str]:
    """The addresses of a host without a DNS query; none for a name."""
    if is_localhost(target.host):
        return ["127.0.0.1", "::1"]
    return _numeric(target)


def _numeric(target: OutboundTarget) -> list[str]:
    """The address that a host is, in any notation; none for a name."""
    try:
        return _resolve(target, socket.AI_NUMERICHOST)
    except socket.gaierror:
        return []


def _is_own(address: str) -> bool:
    """Whether the address is this machine's: the system would connect from that same address. Sends no packet."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((address, 9))
            return probe.getsockname()[0] == address
    except OSError:
        return False
