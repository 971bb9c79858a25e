"""Forwarding requests from a secondary to the primary."""

import re
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import timedelta
from typing import Any, Final

from mujina.adapters.outbound.client import OutboundStream, Timeouts
from mujina.adapters.outbound.dial import HostUnreachable
from mujina.kernel import clock
from mujina.kernel.db.rows import insert_each, overwriting
from mujina.kernel.db.transaction import Tx
from mujina.replication.sync.operations import Primary

MAX_WAIT: Final = timedelta(minutes=10)
"""After this time, a caller reads from a replica that still lacks the caller's writes."""
NODE_HEADER: Final = "X-Mujina-Node"
"""The credential of the node that forwards a request."""
POSITION_HEADER: Final = "X-Mujina-Log-Position"
TIMEOUTS: Final = Timeouts(connect=5, read=300, total=3_600)
_NOT_FORWARDED: Final = frozenset({
    b"host", b"connection", b"keep-alive", b"te", b"trailer", b"transfer-encoding", b"upgrade", b"proxy-connection",
    b"proxy-authorization", b"expect", NODE_HEADER.lower().encode(),
    # The primary may trust this node to name the client: what the client or its proxies say does not pass through.
    b"forwarded", b"x-forwarded-for", b"x-forwarded-host", b"x-forwarded-port", b"x-forwarded-proto", b"x-real-ip",
})  # fmt: skip

_UNSAFE: Final = re.compile(rb"[^!-~]|[\\#]")

Headers = Sequence[tuple[bytes, bytes]]

__all__ = ["Forwarder", "HostUnreachable", "store_position"]


class Forwarder:
    """Sends requests of clients on to the primary, with the credential of the client and that of this node."""

    def __init__(self, primary: Primary) -> None:
        self._primary = primary

    def send(self, scope: Mapping[str, Any], body: AsyncIterator[bytes]) -> AbstractAsyncContextManager[OutboundStream]:
        """The response of the primary, as a stream; `HostUnreachable` if there is none."""
        path = _escaped((scope.get("raw_path") or scope["path"].encode()).partition(b"?")[0])
        query = _escaped(scope["query_string"])
        url = f"{self._primary.url}{path}{'?' + query if query else ''}"
        sent = [(name, value) for name, value in scope["headers"] if name.lower() not in _NOT_FORWARDED]
        names = {name.lower() for name, _ in scope["headers"]}
        sent.append((NODE_HEADER.encode(), self._primary.authorization({"forward": True}).encode()))
        if client := (scope.get("client") or ("",))[0]:
            sent.append((b"X-Forwarded-For", client.encode()))
        has_body = bool(names & {b"content-length", b"transfer-encoding"})
        if has_body and b"content-length" not in names:
            sent.append((b"Transfer-Encoding", b"chunked"))
        return self._primary.outbound.exchange(scope["method"], url, sent, body if has_body else None, TIMEOUTS)

    def headers(self, answer: OutboundStream) -> list[tuple[bytes, bytes]]:
        """The headers of the response for the client: redirects stay on this node."""
        own = self._primary.url.encode()
        return [
            (name, value.removeprefix(own) or b"/" if name.lower() == b"location" and value.startswith(own) else value)
            for name, value in answer.headers
            if name.lower() not in _NOT_FORWARDED and name.lower() != POSITION_HEADER.lower().encode()
        ]

    async def close(self) -> None:
        await self._primary.outbound.aclose()


def _escaped(target: bytes) -> str:
    """The part of a URL as the client sent it, without bytes that no URL has."""
    return _UNSAFE.sub(lambda found: b"%%%02X" % found[0][0], target).decode()


def position_of(headers: Headers) -> str | None:
    """The position of the primary's log that a response carries."""
    values = [value.decode("latin-1") for name, value in headers if name.lower() == POSITION_HEADER.lower().encode()]
    return values[-1] if values else None


async def store_position(tx: Tx, callers: Sequence[str], position: str) -> None:
    """Makes these callers read from the primary until the replica has this position."""
    await tx.run("DELETE FROM forwarded_writes WHERE expires_at <= :now", now=clock.now())
    written = [{"caller": each, "position": position, "expires_at": clock.later(MAX_WAIT)} for each in callers]
    await insert_each(tx, "forwarded_writes", written, overwriting("caller", "position, expires_at"))


async def forget_position(tx: Tx, callers: Sequence[str]) -> None:
    """The replica has all that these callers wrote."""
    await tx.run("DELETE FROM forwarded_writes WHERE caller IN :callers", callers=list(callers))
