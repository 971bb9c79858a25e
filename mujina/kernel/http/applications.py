"""ASGI applications: what chapters put before and beside the entry points of `app.py`, and requests to one of this process."""

from collections.abc import Awaitable, Callable
from ssl import SSLContext
from typing import Any, Final, Protocol

from mujina.kernel.product import ExtensionPoint
from mujina.kernel.services import Service, Services

Application = Callable[[dict[str, Any], Any, Any], Awaitable[None]]

APPLICATIONS: Final = ExtensionPoint[tuple[str, Callable[[Services], Application]]](
    "applications that answer every path with a prefix"
)


class TlsService(Service, Protocol):
    """A service that keeps a TLS context up to date."""

    context: SSLContext


SITE_CERTIFICATES: Final = ExtensionPoint[Callable[[Services], TlsService]]("the certificates of the sites of projects")
SITES: Final = ExtensionPoint[Callable[[Services], Application]]("the application that serves the sites of projects")
MIDDLEWARE: Final = ExtensionPoint[Callable[[Application, Services], Application]]("what every request passes first")


Headers = list[tuple[bytes, bytes]]


async def ask_application(
    application: Application, method: str, path: str, query: str, headers: Headers, *, scheme: str = "http", body: bytes = b"",
) -> tuple[int, Headers, bytes]:  # fmt: skip
    """Status, headers and body of the response to one request; path and query are encoded."""
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    scope = {
        "type": "http", "http_version": "1.1", "method": method, "scheme": scheme, "path": path,
        "raw_path": path.encode(), "query_string": query.encode(), "root_path": "", "headers": headers,
        "client": ("127.0.0.1", 0),
    }  # fmt: skip
    await application(scope, receive, send)
    return sent[0]["status"], sent[0]["headers"], b"".join(message.get("body", b"") for message in sent[1:])
