"""The services that the entry points and jobs of one instance share."""

import msgspec

from mujina.kernel.db.transaction import Database
from mujina.kernel.passwords import Passwords
from mujina.kernel.product import Product
from mujina.kernel.secrets import Vault
from mujina.kernel.storage.files import Files
from mujina.settings import Settings


class Services(msgspec.Struct, frozen=True):
    """Settings, the database, the key to secrets at rest, the store of files: made once by `app.py`, passed to every entry point and job."""

    settings: Settings
    database: Database
    vault: Vault
    passwords: Passwords
    files: Files
    node_id: int | None = None
    """The id of the replication node that this instance is; None on a primary."""
    registry: Database | None = None
    """The local database of a secondary, which says what was copied. None on a primary."""

    @property
    def product(self) -> Product:
        """The chapters of which this instance is composed."""
        return self.database.product
