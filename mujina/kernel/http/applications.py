"""What chapters put before and beside the entry points of `app.py`, as ASGI applications."""

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
