"""What the instance was asked, and what it sent, since the last reset."""

from collections import deque
from typing import Any, Final
from urllib.parse import urlsplit

import msgspec

from mujina.adapters.outbound.client import OutboundResponse
from mujina.kernel.http.applications import Application
from mujina.kernel.http.requests.log import record_of

MAX_RECORDS: Final = 5_000
"""Older ones are dropped."""
MAX_BODY: Final = 64 * 1024
"""Bytes of a body that are recorded."""
_RESERVED: Final = (".test", ".example", ".invalid", ".example.com", ".example.org", ".example.net")
"""Names that belong to no one (RFC 2606): a hook with such a host needs no receiver."""


class RecordedRequest(msgspec.Struct):
    """One request, in the order in which they came."""

    method: str
    path: str
    """As it was sent, still encoded."""
    query: str
    body: str = ""
    actor: str | None = None
    """The username; None: without a credential."""
    status: int | None = None
    """None: no response was sent."""


class RecordedDelivery(msgspec.Struct):
    """One call of a hook."""

    url: str
    headers: dict[str, str]
    body: msgspec.Raw


requests: Final = deque[RecordedRequest](maxlen=MAX_RECORDS)
deliveries: Final = deque[RecordedDelivery](maxlen=MAX_RECORDS)


def reset() -> None:
    """Forget all records."""
    requests.clear()
    deliveries.clear()


def receive_delivery(url: str, headers: dict[str, str], body: str) -> OutboundResponse | None:
    """Record the delivery, and answer it if its host is a reserved name."""
    deliveries.append(RecordedDelivery(url, dict(headers), msgspec.Raw(body.encode())))
    host = urlsplit(url).hostname or ""
    return OutboundResponse(200, {}, b"", truncated=False) if f".{host}".endswith(_RESERVED) else None


async def recorded(application: Application, scope: dict[str, Any], receive: Any, send: Any) -> None:
    """Have the application answer the request, and record both."""
    query: str = scope["query_string"].decode("latin-1")
    record = RecordedRequest(method=scope["method"], path=scope["path"], query=query)
    requests.append(record)
    body = bytearray()

    async def received() -> Any:
        message = await receive()
        body.extend(message.get("body", b"")[: MAX_BODY - len(body)])
        return message

    try:
        await application(scope, received, send)
    finally:
        record.body = body.decode(errors="replace")
        record.actor, record.status = record_of(scope).user, record_of(scope).status
