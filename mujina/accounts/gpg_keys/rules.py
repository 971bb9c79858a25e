"""The only way to get an OpenPGP key: through the person whose it is."""

from typing import LiteralString

import msgspec

from mujina.kernel import errors
from mujina.kernel.db.transaction import Tx


class GpgKeyRow(msgspec.Struct, array_like=True, frozen=True):
    """A key as it is stored."""

    id: int
    user_id: int
    key: str
    fingerprint: str
    created_at: str


GPG_KEY: LiteralString = "SELECT k.id, k.user_id, k.key, k.fingerprint, k.created_at FROM gpg_keys k"


async def find_gpg_key(tx: Tx, user_id: int, key_id: int) -> GpgKeyRow:
    """A key of this person; anybody else's is missing."""
    key = await tx.row(GpgKeyRow, f"{GPG_KEY} WHERE k.id = :id AND k.user_id = :user_id", id=key_id, user_id=user_id)
    if key is None:
        raise errors.not_found("GPG Key")
    return key
