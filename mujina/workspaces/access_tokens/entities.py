"""Access tokens of projects and groups as responses show them."""

from mujina.accounts.credentials.filters import order_tokens
from mujina.accounts.credentials.operations import NewToken
from mujina.accounts.credentials.personal_tokens import PersonalToken
from mujina.kernel.db.entities import to_entity
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.lists.pages import load_rows
from mujina.workspaces.access_tokens.filters import selected
from mujina.workspaces.access_tokens.params import ListAccessTokens
from mujina.workspaces.access_tokens.rules import AccessTokenRow, find_access_token
from mujina.workspaces.owners.rules import Owner


class AccessToken(PersonalToken):
    """The token of a project or group; `user_id` is its bot."""

    access_level: int


class NewAccessToken(AccessToken):
    """A token as the response to its creation shows it, which is the only one with its value."""

    token: str


def to_access_token(row: AccessTokenRow) -> AccessToken:
    return to_entity(AccessToken, row, **row.shown_fields())


async def load_page(tx: Tx, owner: Owner, query: ListAccessTokens, page: Page) -> Paged[AccessToken]:
    rows = await load_rows(tx, AccessTokenRow, selected(owner, query), order_tokens(query.sort), page)
    return rows.map(to_access_token)


async def load_new(tx: Tx, owner: Owner, new: NewToken) -> NewAccessToken:
    """The token that was just created, with its value."""
    return to_entity(NewAccessToken, to_access_token(await find_access_token(tx, owner, new.id)), token=new.token)
