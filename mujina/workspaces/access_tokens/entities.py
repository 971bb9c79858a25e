"""Access tokens of projects and groups as responses show them."""

from mujina.accounts.credentials.operations import NewToken
from mujina.accounts.credentials.personal_tokens import TOKEN_FILTERS, PersonalToken, order_tokens
from mujina.kernel import clock
from mujina.kernel.db.entities import to_entity
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.lists.filters import apply_filters
from mujina.kernel.lists.pages import load_rows
from mujina.workspaces.access_tokens.params import ListAccessTokens
from mujina.workspaces.access_tokens.rules import AccessTokenRow, access_tokens_of, find_access_token
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
    selection = apply_filters(access_tokens_of(owner).bind(today=clock.today()), query, TOKEN_FILTERS)
    return (await load_rows(tx, AccessTokenRow, selection, order_tokens(query.sort), page)).map(to_access_token)


async def load_new(tx: Tx, owner: Owner, new: NewToken) -> NewAccessToken:
    """The token that was just created, with its value."""
    return to_entity(NewAccessToken, to_access_token(await find_access_token(tx, owner, new.id)), token=new.token)
