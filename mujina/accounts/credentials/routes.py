"""Impersonation tokens, for administrators."""

from mujina.accounts.credentials import entities, impersonation
from mujina.accounts.credentials.entities import ImpersonationToken
from mujina.accounts.credentials.impersonation import find_impersonation_token
from mujina.accounts.credentials.params import CreateImpersonationToken, ListImpersonationTokens
from mujina.accounts.users.rules import find_person, find_user
from mujina.kernel.http import Call
from mujina.kernel.paging import Page, Paged
from mujina.kernel.routing import Digits, delete, get, post


@get("/users/:user_id/impersonation_tokens", admin=True)
async def list_impersonation_tokens(
    call: Call, user_id: Digits, query: ListImpersonationTokens, page: Page
) -> Paged[ImpersonationToken]:
    async with call.reading() as tx:
        user = await find_user(tx, user_id)
        return await entities.listed(tx, call.services.vault, user.id, query.state, page)


@get("/users/:user_id/impersonation_tokens/:impersonation_token_id", admin=True)
async def show_impersonation_token(call: Call, user_id: Digits, impersonation_token_id: int) -> ImpersonationToken:
    async with call.reading() as tx:
        user = await find_user(tx, user_id)
        token = await find_impersonation_token(tx, user.id, impersonation_token_id)
        return entities.single(call.services.vault, token)


@post("/users/:user_id/impersonation_tokens", admin=True)
async def create_impersonation_token(
    call: Call, user_id: Digits, change: CreateImpersonationToken
) -> ImpersonationToken:
    async with call.transaction() as tx:
        user = await find_person(tx, user_id)
        token_id = await impersonation.create(tx, call.services.vault, call.actor, user.id, change)
        return entities.single(call.services.vault, await find_impersonation_token(tx, user.id, token_id))


@delete("/users/:user_id/impersonation_tokens/:impersonation_token_id", admin=True)
async def revoke_impersonation_token(call: Call, user_id: Digits, impersonation_token_id: int) -> None:
    async with call.transaction() as tx:
        user = await find_user(tx, user_id)
        token = await find_impersonation_token(tx, user.id, impersonation_token_id)
        call.unless_modified(token.updated_at)
        await impersonation.revoke(tx, call.actor, token)
