"""Replacing tokens. The tokens that replaced each other are a family: if an old one is used once more, all of them end."""

from datetime import timedelta
from typing import Final

from mujina.accounts.credentials.operations import NewToken, insert_token, revoke_token
from mujina.accounts.credentials.rules import StoredToken, is_expired
from mujina.kernel import clock, errors, secrets
from mujina.kernel.db.transaction import Tx
from mujina.kernel.permissions.actor import SYSTEM, Actor

LIFETIME: Final = timedelta(days=7)


async def rotate(tx: Tx, actor: Actor, token: StoredToken, expires_on: str | None) -> NewToken | None:
    """Revoke the token and create one of the same name and scopes in its place.

    None if it was revoked before: then every token of its family is revoked, and the caller answers 401 after the commit.
    401 if it has expired.
    """
    if is_expired(token.expires_on):
        raise errors.invalid_token(errors.EXPIRED)
    if expires_on is not None and is_expired(expires_on):
        raise errors.invalid({"expires_at": ["must be in the future"]})
    if not await tx.run("UPDATE access_tokens SET revoked = TRUE WHERE id = :id AND NOT revoked", id=token.id):
        await _revoke_family(tx, token.family_id or token.id)
        return None
    await revoke_token(tx, actor, token.user_id, token.id)
    return await insert_token(
        tx, actor, token.user_id, token.name, token.scopes.split(), description=token.description,
        family_id=token.family_id or token.id, expires_on=expires_on or next_expiration(),
    )  # fmt: skip


def next_expiration() -> str:
    """The day on which a token expires that replaces another today, unless the request says more."""
    return clock.later(LIFETIME)[:10]


def replaced(new: NewToken | None) -> NewToken:
    """The token that replaces another; 401 if that one was revoked before."""
    if new is None:
        raise errors.invalid_token(errors.REVOKED)
    return new


async def revoke_replayed(tx: Tx, token: str) -> None:
    """If this token was replaced before, revoke those that followed it: whoever sends it once more may have stolen it."""
    row = await tx.row(
        tuple[int, int | None],
        "SELECT t.id, t.family_id FROM access_tokens t WHERE t.digest = :digest AND t.revoked",
        digest=secrets.digest(token),
    )
    if row is not None:
        await _revoke_family(tx, row[1] or row[0])


async def _revoke_family(tx: Tx, family_id: int) -> None:
    members = await tx.rows(
        tuple[int, int],
        "SELECT t.id, t.user_id FROM access_tokens t WHERE (t.id = :id OR t.family_id = :id) AND NOT t.revoked",
        id=family_id,
    )
    for token_id, user_id in members:
        await revoke_token(tx, SYSTEM, user_id, token_id)
