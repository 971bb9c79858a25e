"""Tokens as they are shown: personal tokens without their value, impersonation tokens with it."""

from typing import LiteralString

import msgspec

from mujina.accounts.credentials.impersonation import PURPOSE, ImpersonationTokenRow
from mujina.accounts.credentials.rules import StoredToken
from mujina.kernel import clock
from mujina.kernel.db.entities import to_entity
from mujina.kernel.db.sql.selection import Selection, ascending
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.lists.pages import load_rows
from mujina.kernel.secrets import Vault


async def tokens_of(tx: Tx, user_id: int) -> list[StoredToken]:
    """The personal access tokens of a user, oldest first, also the revoked and expired ones."""
    return await tx.rows(
        StoredToken,
        f"""
        SELECT {StoredToken.columns} FROM access_tokens t
        WHERE t.user_id = :user_id AND NOT t.impersonation ORDER BY t.id
        """,
        user_id=user_id,
    )


class ImpersonationToken(msgspec.Struct):
    id: int
    name: str
    token: str
    scopes: list[str]
    active: bool
    revoked: bool
    impersonation: bool
    created_at: str
    expires_at: str | None


def to_impersonation_token(vault: Vault, token: ImpersonationTokenRow) -> ImpersonationToken:
    return to_entity(
        ImpersonationToken,
        token,
        token=vault.decrypt(token.sealed, PURPOSE),
        impersonation=True,
        **token.shown_fields(),
    )


_STATES: dict[str, LiteralString] = {
    "active": "NOT t.revoked AND t.expires_on > :today",
    "inactive": "(t.revoked OR t.expires_on <= :today)",
}


async def load_page(tx: Tx, vault: Vault, user_id: int, state: str, page: Page) -> Paged[ImpersonationToken]:
    """One page of a user's impersonation tokens, oldest first."""
    selection = Selection("access_tokens t", "t.user_id = :user_id AND t.impersonation", user_id=user_id)
    if state != "all":
        selection = selection.where(_STATES[state], today=clock.today())
    return (await load_rows(tx, ImpersonationTokenRow, selection, ascending("t.id"), page)).map(
        lambda row: to_impersonation_token(vault, row)
    )
