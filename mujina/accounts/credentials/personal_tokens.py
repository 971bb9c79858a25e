"""Personal access tokens as their users and administrators list, show and revoke them; their values are shown nowhere."""

from collections.abc import Sequence
from typing import Final, LiteralString

import msgspec

from mujina.accounts.credentials import operations
from mujina.accounts.credentials.filters import chosen_tokens, order_tokens
from mujina.accounts.credentials.operations import NewToken
from mujina.accounts.credentials.params import CreatePersonalToken, ListPersonalTokens
from mujina.accounts.credentials.rules import PERSONAL, StoredToken
from mujina.kernel import errors, secrets
from mujina.kernel.clock import NEVER
from mujina.kernel.db.entities import to_entity
from mujina.kernel.db.transaction import Tx, Value
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.lists.pages import load_rows
from mujina.kernel.permissions.actor import Actor

LIMITED_SCOPES: Final = ("k8s_proxy", "self_rotate")
"""The scopes of tokens that users create through the API: they open nothing."""


class PersonalToken(msgspec.Struct):
    id: int
    name: str
    revoked: bool
    created_at: str
    description: str | None
    scopes: list[str]
    user_id: int
    last_used_at: str | None
    """Up to ten minutes old."""
    active: bool
    expires_at: str | None


class NewPersonalToken(PersonalToken):
    """A token as the response to its creation shows it, which is the only one with its value."""

    token: str


class PersonalTokenRow(StoredToken):
    def shown(self) -> PersonalToken:
        return to_entity(PersonalToken, self, **self.shown_fields())


async def load_page(tx: Tx, actor: Actor, query: ListPersonalTokens, page: Page) -> Paged[PersonalToken]:
    selection, order = chosen_tokens(actor, query), order_tokens(query.sort)
    return (await load_rows(tx, PersonalTokenRow, selection, order, page)).map(PersonalTokenRow.shown)


async def find_own_token(tx: Tx, token: str | None) -> PersonalTokenRow:
    """The token of the request; 400 for any other credential."""
    row = await _find(tx, "t.digest = :digest", digest=secrets.digest(token or ""))
    if row is None:
        raise errors.bad_request("This endpoint requires token type to be a personal access token")
    return row


async def find_rotatable_token(tx: Tx, token: str | None) -> PersonalTokenRow:
    """The token of the request, if it is a personal access token; 405 for any other credential."""
    row = await _find(tx, f"t.digest = :digest AND {PERSONAL}", digest=secrets.digest(token or ""))
    if row is None:
        raise errors.not_now()
    return row


async def find_personal_token(tx: Tx, actor: Actor, token_id: int) -> PersonalTokenRow:
    """A token of the actor, for administrators any; 404 for administrators if there is none, for others 401."""
    row = await _find(tx, f"t.id = :id AND {PERSONAL}", id=token_id)
    if row is None and actor.admin:
        raise errors.not_found("Personal Access Token")
    if row is None or (row.user_id != actor.id and not actor.admin):
        raise errors.unauthorized()
    return row


async def find_token_of(tx: Tx, user_id: int, token_id: int) -> PersonalTokenRow:
    """A token of this user; 404 if there is none."""
    row = await _find(tx, f"t.id = :id AND t.user_id = :user_id AND {PERSONAL}", id=token_id, user_id=user_id)
    return errors.or_not_found(row, "Token")


async def _find(tx: Tx, condition: LiteralString, **bound: Value) -> PersonalTokenRow | None:
    statement = f"SELECT {PersonalTokenRow.columns} FROM access_tokens t WHERE {condition}"
    return await tx.row(PersonalTokenRow, statement, **bound)


async def create(
    tx: Tx, actor: Actor, user_id: int, change: CreatePersonalToken, available: Sequence[str]
) -> NewPersonalToken:
    """A new token of the user, with scopes out of these."""
    expires_on = change.expires_at or None
    operations.check_token(change.name, change.scopes, available, expires_on=expires_on)
    new = await operations.insert_token(
        tx, actor, user_id, change.name, change.scopes, expires_on=expires_on or NEVER,
        description=change.description or None,
    )  # fmt: skip
    return await load_new(tx, new)


async def load_new(tx: Tx, new: NewToken) -> NewPersonalToken:
    """The token that was just created, with its value."""
    row = errors.or_not_found(await _find(tx, "t.id = :id", id=new.id), "Token")
    return to_entity(NewPersonalToken, row.shown(), token=new.token)


async def revoke(tx: Tx, actor: Actor, token: PersonalTokenRow) -> None:
    """The token fails from the next request on; lists still show it."""
    if not token.revoked:
        await operations.revoke_token(tx, actor, token.user_id, token.id)
