"""Impersonation tokens: administrators create them for other users and may read them again."""

from mujina.accounts.credentials.operations import check_token
from mujina.accounts.credentials.params import CreateImpersonationToken
from mujina.accounts.credentials.rules import StoredToken
from mujina.kernel import clock, secrets
from mujina.kernel.clock import NEVER
from mujina.kernel.db.rows import find_row, insert_id, timestamps, update
from mujina.kernel.db.sql.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import record
from mujina.kernel.permissions.actor import SCOPES, Actor
from mujina.kernel.secrets import Vault

PURPOSE = "impersonation_token"
"""The purpose under which the vault encrypts the tokens."""


class ImpersonationTokenRow(StoredToken):
    sealed: str
    """The encrypted value."""


async def find_impersonation_token(tx: Tx, user_id: int, token_id: int) -> ImpersonationTokenRow:
    """An impersonation token of this user; their personal tokens are not found."""
    selection = Selection(
        "access_tokens t", "t.id = :id AND t.user_id = :user_id AND t.impersonation", id=token_id, user_id=user_id
    )
    return await find_row(tx, ImpersonationTokenRow, selection, "Impersonation Token")


async def create(tx: Tx, vault: Vault, actor: Actor, user_id: int, change: CreateImpersonationToken) -> int:
    """A new token that authenticates as this user. The user does not see it among their own tokens."""
    check_token(change.name, change.scopes, SCOPES)
    token = secrets.new_token()
    token_id: int = await insert_id(
        tx, "access_tokens", user_id=user_id, name=change.name, digest=secrets.digest(token),
        scopes=" ".join(change.scopes), impersonation=True, sealed=vault.encrypt(token, PURPOSE),
        expires_on=change.expires_at or NEVER, **timestamps(),
    )  # fmt: skip
    await record(
        tx, "impersonation_token.created", actor, subject_id=token_id,
        changes={"user_id": (None, user_id), "name": (None, change.name)},
    )  # fmt: skip
    return token_id


async def revoke(tx: Tx, actor: Actor, token: ImpersonationTokenRow) -> None:
    """The token fails from the next request on; lists still show it."""
    before = await tx.value("SELECT t.revoked FROM access_tokens t WHERE t.id = :id FOR UPDATE", id=token.id)
    if before or before is None:
        return
    await update(tx, "access_tokens", {"revoked": True, "updated_at": clock.now()}, id=token.id)
    await record(
        tx, "impersonation_token.revoked", actor, subject_id=token.id,
        changes={"user_id": (token.user_id, token.user_id), "name": (token.name, token.name)},
    )  # fmt: skip
