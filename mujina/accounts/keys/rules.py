"""The only ways to get an SSH key: through the person whose it is, by its number for administrators, by its print."""

from typing import LiteralString

import msgspec

from mujina.accounts.users.rules import ActorRow
from mujina.kernel import errors
from mujina.kernel.actor import Actor
from mujina.kernel.db.transaction import Tx


class KeyRow(msgspec.Struct, array_like=True, frozen=True):
    """A key as it is stored."""

    id: int
    user_id: int | None
    title: str
    key: str
    sha256: str
    created_at: str
    updated_at: str


KEY: LiteralString = "SELECT k.id, k.user_id, k.title, k.key, k.sha256, k.created_at, k.updated_at FROM ssh_keys k"


async def find_own_key(tx: Tx, user_id: int, key_id: int) -> KeyRow:
    """A key of this person; anybody else's is missing."""
    key = await tx.row(KeyRow, f"{KEY} WHERE k.id = :id AND k.user_id = :user_id", id=key_id, user_id=user_id)
    if key is None:
        raise errors.not_found("Key")
    return key


async def own_keys(tx: Tx, user_id: int) -> list[KeyRow]:
    """Every key of this person, in the order in which they came."""
    return await tx.rows(KeyRow, f"{KEY} WHERE k.user_id = :user_id ORDER BY k.id", user_id=user_id)


async def find_any_key(tx: Tx, key_id: int) -> KeyRow:
    """The key of this number, whoever's it is: for administrators."""
    key = await tx.row(KeyRow, f"{KEY} WHERE k.id = :id", id=key_id)
    if key is None:
        raise errors.not_found("Key")
    return key


class _Owner(ActorRow):
    state: str
    kind: str


async def find_key(tx: Tx, fingerprint: str) -> Actor | None:
    """The person whose key has this print (SHA-256, base64), None if nobody's has; refused if they are blocked.

    Nothing is written: a key may be used a thousand times a second.
    """
    owner = await tx.row(
        _Owner,
        f"""
        SELECT {_Owner.columns} FROM ssh_keys k JOIN users u ON u.id = k.user_id
        WHERE k.sha256 = :fingerprint AND u.deleted_at IS NULL
        """,
        fingerprint=fingerprint.removeprefix("SHA256:").rstrip("="),
    )
    if owner is None:
        return None
    if owner.state != "active" or owner.kind != "person":
        raise errors.forbidden("User is blocked")
    return owner.actor()
