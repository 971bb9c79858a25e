"""Impersonation tokens, for administrators, and personal access tokens."""

from mujina.accounts.credentials import entities, impersonation, personal_tokens
from mujina.accounts.credentials.authentication import request_token
from mujina.accounts.credentials.entities import ImpersonationToken
from mujina.accounts.credentials.impersonation import find_impersonation_token
from mujina.accounts.credentials.operations import replaced, rotate
from mujina.accounts.credentials.params import (
    CreateImpersonationToken,
    CreatePersonalToken,
    ListImpersonationTokens,
    ListPersonalTokens,
    RotateToken,
)
from mujina.accounts.credentials.personal_tokens import NewPersonalToken, PersonalToken, find_rotatable_token
from mujina.accounts.users.rules import find_person, find_user
from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.http.routing import Digits, delete, get, post
from mujina.kernel.permissions.actor import SCOPES
from mujina.kernel.permissions.scopes import ROTATE


@get("/users/:user_id/impersonation_tokens", admin=True)
async def list_impersonation_tokens(
    call: Call, user_id: Digits, query: ListImpersonationTokens, page: Page
) -> Paged[ImpersonationToken]:
    async with call.reading() as tx:
        user = await find_user(tx, user_id)
        return await entities.load_page(tx, call.services.vault, user.id, query.state, page)


@get("/users/:user_id/impersonation_tokens/:impersonation_token_id", admin=True)
async def show_impersonation_token(call: Call, user_id: Digits, impersonation_token_id: int) -> ImpersonationToken:
    async with call.reading() as tx:
        user = await find_user(tx, user_id)
        token = await find_impersonation_token(tx, user.id, impersonation_token_id)
        return entities.to_impersonation_token(call.services.vault, token)


@post("/users/:user_id/impersonation_tokens", admin=True)
async def create_impersonation_token(
    call: Call, user_id: Digits, change: CreateImpersonationToken
) -> ImpersonationToken:
    async with call.transaction() as tx:
        user = await find_person(tx, user_id)
        token_id = await impersonation.create(tx, call.services.vault, call.actor, user.id, change)
        return entities.to_impersonation_token(
            call.services.vault, await find_impersonation_token(tx, user.id, token_id)
        )


@delete("/users/:user_id/impersonation_tokens/:impersonation_token_id", admin=True)
async def revoke_impersonation_token(call: Call, user_id: Digits, impersonation_token_id: int) -> None:
    async with call.transaction() as tx:
        user = await find_user(tx, user_id)
        token = await find_impersonation_token(tx, user.id, impersonation_token_id)
        call.unless_modified(token.updated_at)
        await impersonation.revoke(tx, call.actor, token)


@get("/personal_access_tokens")
async def list_personal_access_tokens(call: Call, query: ListPersonalTokens, page: Page) -> Paged[PersonalToken]:
    async with call.reading() as tx:
        return await personal_tokens.load_page(tx, call.actor, query, page)


@get("/personal_access_tokens/self", scopes=SCOPES)
async def show_own_personal_access_token(call: Call) -> PersonalToken:
    """Show the token of this request."""
    async with call.reading() as tx:
        return (await personal_tokens.find_own_token(tx, request_token(call))).shown()


@get("/personal_access_tokens/:token_id")
async def show_personal_access_token(call: Call, token_id: int) -> PersonalToken:
    async with call.reading() as tx:
        return (await personal_tokens.find_personal_token(tx, call.actor, token_id)).shown()


@post("/personal_access_tokens/self/rotate", scopes=ROTATE, status=200)
async def rotate_own_personal_access_token(call: Call, change: RotateToken) -> NewPersonalToken:
    """Replace the token of this request; if it was replaced before, those that followed it are revoked."""
    async with call.transaction() as tx:
        token = await find_rotatable_token(tx, request_token(call))
        new = await rotate(tx, call.actor, token, change.expires_at or None)
    async with call.reading() as tx:
        return await personal_tokens.load_new(tx, replaced(new))


@post("/personal_access_tokens/:token_id/rotate", status=200)
async def rotate_personal_access_token(call: Call, token_id: int, change: RotateToken) -> NewPersonalToken:
    """Replace a token; if it was replaced before, those that followed it are revoked."""
    async with call.transaction() as tx:
        token = await personal_tokens.find_personal_token(tx, call.actor, token_id)
        new = await rotate(tx, call.actor, token, change.expires_at or None)
    async with call.reading() as tx:
        return await personal_tokens.load_new(tx, replaced(new))


@post("/users/:user_id/personal_access_tokens", admin=True)
async def create_personal_access_token(call: Call, user_id: Digits, change: CreatePersonalToken) -> NewPersonalToken:
    """Create a personal access token for a user."""
    async with call.transaction() as tx:
        user = await find_person(tx, user_id)
        return await personal_tokens.create(tx, call.actor, user.id, change, SCOPES)


@post("/user/personal_access_tokens")
async def create_own_personal_access_token(call: Call, change: CreatePersonalToken) -> NewPersonalToken:
    """Create a personal access token of the caller, with scopes that open nothing that the caller's own token opens."""
    async with call.transaction() as tx:
        user = await find_person(tx, call.actor.id)
        return await personal_tokens.create(tx, call.actor, user.id, change, personal_tokens.LIMITED_SCOPES)


@delete("/personal_access_tokens/self", scopes=SCOPES)
async def revoke_own_personal_access_token(call: Call) -> None:
    """Revoke the token of this request."""
    async with call.transaction() as tx:
        token = await personal_tokens.find_own_token(tx, request_token(call))
        call.unless_modified(token.updated_at)
        await personal_tokens.revoke(tx, call.actor, token)


@delete("/personal_access_tokens/:token_id")
async def revoke_personal_access_token(call: Call, token_id: int) -> None:
    async with call.transaction() as tx:
        token = await personal_tokens.find_personal_token(tx, call.actor, token_id)
        call.unless_modified(token.updated_at)
        await personal_tokens.revoke(tx, call.actor, token)
