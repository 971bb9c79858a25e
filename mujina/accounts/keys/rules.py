"""The only ways to look up an SSH key: through its user, by its id for administrators, or by its fingerprint."""

from typing import LiteralString

from mujina.accounts.users.rules import ActorRow
from mujina.kernel import clock, errors
from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Tx
from mujina.kernel.permissions.actor import Actor


class KeyRow(Row, alias="k"):
    id: int
    user_id: int | None
    title: str
    key: str
    sha256: str
    expires_at: str | None
    created_at: str
    updated_at: str

    @property
    def expired(self) -> bool:
        return is_expired(self.expires_at)


def is_expired(expires_at: str | None) -> bool:
    return expires_at is not None and expires_at <= clock.now()


VALID: LiteralString = "(k.expires_at IS NULL OR k.expires_at > :now)"
"""Whether the key `k` has not expired: then it opens what it is for."""


_KEY: LiteralString = f"SELECT {KeyRow.columns} FROM ssh_keys k"


async def find_own_key(tx: Tx, user_id: int, key_id: int) -> KeyRow:
    """A key of this user; keys of other users are not found."""
    key = await tx.row(KeyRow, f"{_KEY} WHERE k.id = :id AND k.user_id = :user_id", id=key_id, user_id=user_id)
    return errors.or_not_found(key, "Key")


async def own_keys(tx: Tx, user_id: int) -> list[KeyRow]:
    """Every key of this user, oldest first."""
    return await tx.rows(KeyRow, f"{_KEY} WHERE k.user_id = :user_id ORDER BY k.id", user_id=user_id)


async def find_any_key(tx: Tx, key_id: int) -> KeyRow:
    """The key of this id, of any user: for administrators."""
    return errors.or_not_found(await tx.row(KeyRow, f"{_KEY} WHERE k.id = :id", id=key_id), "Key")


async def find_key_by_fingerprint(tx: Tx, fingerprint: str) -> KeyRow:
    """The key of this fingerprint, MD5 with colons or SHA-256: for administrators."""
    name, _, value = fingerprint.strip().partition(":") if fingerprint[:7].upper() == "SHA256:" else ("", "", "")
    column: LiteralString = "k.sha256" if name else "k.md5"
    wanted = value.rstrip("=") if name else fingerprint.strip().lower().removeprefix("md5:")
    return errors.or_not_found(await tx.row(KeyRow, f"{_KEY} WHERE {column} = :value", value=wanted), "Key")


class _KeyOwnerRow(ActorRow):
    state: str
    kind: str


async def find_key(tx: Tx, fingerprint: str) -> Actor | None:
    """The user whose key has this fingerprint (SHA-256, base64), None if there is no such key or it has expired.

    403 if they are blocked.

    It writes nothing: a key may be used a thousand times a second.
    """
    owner = await tx.row(
        _KeyOwnerRow,
        f"""
        SELECT {_KeyOwnerRow.columns} FROM ssh_keys k JOIN users u ON u.id = k.user_id
        WHERE k.sha256 = :fingerprint AND u.deleted_at IS NULL AND {VALID}
        """,
        fingerprint=fingerprint.removeprefix("SHA256:").rstrip("="),
        now=clock.now(),
    )
    if owner is None:
        return None
    if owner.state != "active" or owner.kind != "person":
        raise errors.forbidden("User is blocked")
    return owner.actor()
