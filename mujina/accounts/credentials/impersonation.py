"""Impersonation tokens: made by administrators for others, used like personal ones, shown again when asked for."""

from typing import LiteralString

import msgspec

from mujina.accounts.credentials.operations import check_token
from mujina.accounts.credentials.params import CreateImpersonationToken
from mujina.kernel import clock, errors, secrets
from mujina.kernel.actor import Actor
from mujina.kernel.clock import NEVER
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import record
from mujina.kernel.secrets import Vault

PURPOSE = "impersonation_token"
"""What the vault encrypts them for."""

SCOPES = ("api", "read_user", "sudo")


class TokenRow(msgspec.Struct, array_like=True, frozen=True):
    """A token as it is stored: encrypted."""

    id: int
    user_id: int
    name: str
    sealed: str
    scopes: str
    expires_on: str
    revoked: bool
    created_at: str
    updated_at: str


STORED: LiteralString = """
    SELECT t.id, t.user_id, t.name, t.sealed, t.scopes, t.expires_on, t.revoked, t.created_at, t.updated_at
    FROM access_tokens t
"""


async def find_impersonation_token(tx: Tx, user_id: int, token_id: int) -> TokenRow:
    """An impersonation token of this person; their own tokens are none of it."""
    token = await tx.row(
        TokenRow,
        f"{STORED} WHERE t.id = :id AND t.user_id = :user_id AND t.impersonation",
        id=token_id,
        user_id=user_id,
    )
    if token is None:
        raise errors.not_found("Impersonation Token")
    return token


async def create(tx: Tx, vault: Vault, actor: Actor, user_id: int, change: CreateImpersonationToken) -> int:
    """Who shows the token acts as this person, who does not see it among their own."""
    check_token(change.name, change.scopes, SCOPES)
    token = secrets.new_token()
    token_id: int = await tx.value(
        """
        INSERT INTO access_tokens
            (user_id, name, digest, scopes, impersonation, sealed, expires_on, created_at, updated_at)
        VALUES (:user_id, :name, :digest, :scopes, TRUE, :sealed, :expires_on, :now, :now)
        RETURNING id
        """,
        user_id=user_id, name=change.name, digest=secrets.digest(token), scopes=" ".join(change.scopes),
        sealed=vault.encrypt(token, PURPOSE), expires_on=change.expires_at or NEVER, now=clock.now(),
    )  # fmt: skip
    await record(
        tx, "impersonation_token.created", actor, subject_id=token_id,
        changes={"user_id": (None, user_id), "name": (None, change.name)},
    )  # fmt: skip
    return token_id


async def revoke(tx: Tx, actor: Actor, token: TokenRow) -> None:
    """The token fails from the next request on; its row stays, to be listed."""
    if token.revoked:
        return
    await tx.run(
        "UPDATE access_tokens SET revoked = TRUE, updated_at = :now WHERE id = :id", id=token.id, now=clock.now()
    )
    await record(
        tx, "impersonation_token.revoked", actor, subject_id=token.id,
        changes={"user_id": (token.user_id, token.user_id), "name": (token.name, token.name)},
    )  # fmt: skip
