"""What chapters put before and beside the entry points of `app.py`, as ASGI applications."""

from collections.abc import Awaitable, Callable
from typing import Any, Final

from mujina.kernel.product import ExtensionPoint
from mujina.kernel.services import Services

Application = Callable[[dict[str, Any], Any, Any], Awaitable[None]]

APPLICATIONS: Final = ExtensionPoint[tuple[str, Callable[[Services], Application]]](
    "applications that answer every path with a prefix"
)
SITES: Final = ExtensionPoint[Callable[[Services], Application]]("the application that serves the sites of projects")
MIDDLEWARE: Final = ExtensionPoint[Callable[[Application, Services], Application]]("what every request passes first")
