"""What one running instance shares among its doors."""

import msgspec

from mujina.kernel.db.transaction import Database
from mujina.kernel.secrets import Vault
from mujina.settings import Settings


class House(msgspec.Struct, frozen=True):
    """Settings, the database and the key to secrets at rest: handed to every door, made once by `app.py`."""

    settings: Settings
    database: Database
    vault: Vault
