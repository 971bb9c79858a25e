"""Deploy tokens of projects and groups."""

from mujina.kernel.db.entities import to_entity
from mujina.kernel.db.sql.selection import Selection
from mujina.kernel.html.owners import OwnerKind
from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.http.params import Ref
from mujina.kernel.http.routing import delete, get, post
from mujina.workspaces.deploy_tokens import entities, operations
from mujina.workspaces.deploy_tokens.entities import DeployToken, NewDeployToken, to_deploy_token
from mujina.workspaces.deploy_tokens.params import CreateDeployToken, ListDeployTokens
from mujina.workspaces.deploy_tokens.rules import (
    READ_DEPLOY_TOKENS,
    WRITE_DEPLOY_TOKENS,
    deploy_tokens_of,
    find_deploy_token,
)
from mujina.workspaces.owners.rules import find_owner, owner_paths


@get("/deploy_tokens", admin=True)
async def list_all_deploy_tokens(call: Call, query: ListDeployTokens, page: Page) -> Paged[DeployToken]:
    """List the deploy tokens of all projects and groups."""
    async with call.reading() as tx:
        return await entities.load_page(tx, Selection("deploy_tokens d"), query, page)


@get(**owner_paths("/deploy_tokens"))
async def list_owner_deploy_tokens(
    call: Call, id: Ref, kind: OwnerKind, query: ListDeployTokens, page: Page
) -> Paged[DeployToken]:
    async with call.reading() as tx:
        owner = await find_owner(tx, call.actor, kind, id, to=READ_DEPLOY_TOKENS)
        return await entities.load_page(tx, deploy_tokens_of(owner), query, page)


@get(**owner_paths("/deploy_tokens/:token_id"))
async def show_owner_deploy_token(call: Call, id: Ref, kind: OwnerKind, token_id: int) -> DeployToken:
    async with call.reading() as tx:
        owner = await find_owner(tx, call.actor, kind, id, to=READ_DEPLOY_TOKENS)
        return to_deploy_token(await find_deploy_token(tx, owner, token_id))


@post(**owner_paths("/deploy_tokens"))
async def create_owner_deploy_token(call: Call, id: Ref, kind: OwnerKind, change: CreateDeployToken) -> NewDeployToken:
    async with call.transaction() as tx:
        owner = await find_owner(tx, call.actor, kind, id, to=WRITE_DEPLOY_TOKENS)
        new = await operations.create(tx, call.actor, owner, change)
        return to_entity(NewDeployToken, to_deploy_token(await find_deploy_token(tx, owner, new.id)), token=new.token)


@delete(**owner_paths("/deploy_tokens/:token_id"))
async def delete_owner_deploy_token(call: Call, id: Ref, kind: OwnerKind, token_id: int) -> None:
    async with call.transaction() as tx:
        owner = await find_owner(tx, call.actor, kind, id, to=WRITE_DEPLOY_TOKENS)
        token = await find_deploy_token(tx, owner, token_id)
        call.unless_modified(token.updated_at)
        await operations.remove(tx, call.actor, owner, token)
