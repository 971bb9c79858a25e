"""The services that the entry points and jobs of one instance share."""

from collections.abc import Awaitable, Callable, Coroutine
from secrets import token_hex
from typing import Any, Final, Literal, Protocol

import msgspec

from mujina.kernel.db.transaction import Database
from mujina.kernel.passwords import Passwords
from mujina.kernel.product import ExtensionPoint, Product
from mujina.kernel.secrets import Vault
from mujina.kernel.storage.files import Files
from mujina.settings import Settings


class Service(Protocol):
    """A long-running part of a process: the HTTP server, the job runner, the SSH server."""

    def run(self) -> Coroutine[Any, Any, None]:
        """Work until `stop`, then finish what has begun."""
        ...

    def stop(self) -> None:
        """Begin nothing more."""
        ...


class Secondary(msgspec.Struct, frozen=True):
    """What makes an instance a copy of another one, its primary."""

    node_id: int
    primary_url: str
    registry_url: str
    registry: Database
    """The database of this instance's own, which says what was copied."""
    synchronizer: "Callable[[Services], Service]"
    """Makes the service that copies what the primary has."""
    has_copied: Callable[[Literal["repositories", "files"]], Awaitable[bool]]
    record_missing: Callable[[str], Awaitable[None]]
    """Notes that the file with this key was copied and is gone."""


SECONDARIES: Final = ExtensionPoint[Callable[[Settings], Secondary | None]](
    "how an instance finds that it is a secondary"
)


class Services(msgspec.Struct):
    """Settings, database, key to secrets at rest, store of files: made once by `app.py`, passed to every entry point and job."""

    settings: Settings
    database: Database
    vault: Vault
    passwords: Passwords
    files: Files
    secondary: Secondary | None = None
    """None on a primary."""
    token_uses: dict[int, str] = msgspec.field(default_factory=dict[int, str])
    """When tokens were used, by their id, until it is written."""
    name: str = msgspec.field(default_factory=lambda: token_hex(8))
    """The name in leases: a background service that is made anew goes on where the last one stopped."""

    @property
    def product(self) -> Product:
        """The chapters of which this instance is composed."""
        return self.database.product

    @property
    def node_id(self) -> int | None:
        """The id of the secondary that this instance is; None on a primary."""
        return None if self.secondary is None else self.secondary.node_id

    @property
    def registry(self) -> Database | None:
        """The database of a secondary that says what was copied; None on a primary."""
        return None if self.secondary is None else self.secondary.registry


def find_secondary(product: Product, settings: Settings) -> Secondary | None:
    """The secondary that this instance is; None on a primary."""
    return next(filter(None, (find(settings) for find in product.all(SECONDARIES))), None)
