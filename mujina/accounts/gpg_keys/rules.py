"""The only way to look up an OpenPGP key: through its user."""

from mujina.kernel.db.rows import Row, find_row
from mujina.kernel.db.sql.selection import Selection
from mujina.kernel.db.transaction import Tx


class GpgKeyRow(Row, alias="k"):
    id: int
    user_id: int
    key: str
    fingerprint: str
    created_at: str


async def find_gpg_key(tx: Tx, user_id: int, key_id: int) -> GpgKeyRow:
    """A key of this user; keys of other users are not found."""
    selection = Selection("gpg_keys k", "k.id = :id AND k.user_id = :user_id", id=key_id, user_id=user_id)
    return await find_row(tx, GpgKeyRow, selection, "GPG Key")
