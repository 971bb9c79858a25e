"""Access tokens of projects and groups."""

from mujina.accounts.credentials.authentication import request_token
from mujina.accounts.credentials.operations import replaced
from mujina.accounts.credentials.params import RotateToken
from mujina.kernel import errors
from mujina.kernel.html.owners import OwnerKind
from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.http.params import Ref
from mujina.kernel.http.routing import delete, get, post
from mujina.kernel.permissions.scopes import ROTATE
from mujina.workspaces.access_tokens import entities, operations
from mujina.workspaces.access_tokens.entities import AccessToken, NewAccessToken, to_access_token
from mujina.workspaces.access_tokens.params import CreateAccessToken, ListAccessTokens
from mujina.workspaces.access_tokens.rules import find_access_token, find_own_access_token, find_token_owner
from mujina.workspaces.owners.rules import find_owner, owner_paths


@get(**owner_paths("/access_tokens"))
async def list_owner_access_tokens(
    call: Call, id: Ref, kind: OwnerKind, query: ListAccessTokens, page: Page
) -> Paged[AccessToken]:
    async with call.reading() as tx:
        try:
            owner = await find_token_owner(tx, call.actor, kind, id)
        except errors.Forbidden:
            # Compat: the list of tokens of others is a 401.
            raise errors.unauthorized() from None
        return await entities.load_page(tx, owner, query, page)


@get(**owner_paths("/access_tokens/:token_id"))
async def show_owner_access_token(call: Call, id: Ref, kind: OwnerKind, token_id: int) -> AccessToken:
    async with call.reading() as tx:
        owner = await find_token_owner(tx, call.actor, kind, id)
        return to_access_token(await find_access_token(tx, owner, token_id))


@post(**owner_paths("/access_tokens"))
async def create_owner_access_token(call: Call, id: Ref, kind: OwnerKind, change: CreateAccessToken) -> NewAccessToken:
    async with call.transaction() as tx:
        owner = await find_token_owner(tx, call.actor, kind, id)
        return await entities.load_new(tx, owner, await operations.create(tx, call.actor, owner, change))


@post(**owner_paths("/access_tokens/self/rotate"), scopes=ROTATE, status=200)
async def rotate_own_owner_access_token(call: Call, id: Ref, kind: OwnerKind, change: RotateToken) -> NewAccessToken:
    """Replace the token of this request; if it was replaced before, those that followed it are revoked."""
    async with call.transaction() as tx:
        owner = await find_owner(tx, call.actor, kind, id)
        token = await find_own_access_token(tx, owner, request_token(call))
        new = await operations.rotate(tx, call.actor, owner, token, change.expires_at or None)
    async with call.reading() as tx:
        return await entities.load_new(tx, owner, replaced(new))


@post(**owner_paths("/access_tokens/:token_id/rotate"), status=200)
async def rotate_owner_access_token(
    call: Call, id: Ref, kind: OwnerKind, token_id: int, change: RotateToken
) -> NewAccessToken:
    """Replace a token; if it was replaced before, those that followed it are revoked."""
    async with call.transaction() as tx:
        owner = await find_token_owner(tx, call.actor, kind, id)
        token = await find_access_token(tx, owner, token_id)
        new = await operations.rotate(tx, call.actor, owner, token, change.expires_at or None)
    async with call.reading() as tx:
        return await entities.load_new(tx, owner, replaced(new))


@delete(**owner_paths("/access_tokens/:token_id"))
async def revoke_owner_access_token(call: Call, id: Ref, kind: OwnerKind, token_id: int) -> None:
    """Revoke a token and remove its bot; what the bot wrote becomes the ghost's."""
    async with call.transaction() as tx:
        owner = await find_token_owner(tx, call.actor, kind, id)
        token = await find_access_token(tx, owner, token_id)
        call.unless_modified(token.updated_at)
        await operations.revoke(tx, call.actor, token)
