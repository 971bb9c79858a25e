"""The page of the access tokens and deploy tokens of a project or group."""

from datetime import timedelta
from typing import Final

from mujina.accounts.credentials.operations import replaced
from mujina.kernel import clock
from mujina.kernel.db.transaction import Tx
from mujina.kernel.html.pages import HtmlPage, Numbered, PageRequest, Redirect, form, view
from mujina.kernel.http.paging import FIRST_PAGE
from mujina.kernel.http.params import Ref
from mujina.kernel.permissions.levels import LEVELS, PROJECT_LEVELS, ROLES
from mujina.workspaces.access_tokens import entities, operations
from mujina.workspaces.access_tokens.params import AccessTokenForm, ListAccessTokens
from mujina.workspaces.access_tokens.rules import (
    ADMIN_ACCESS_TOKENS,
    TokenOwner,
    find_access_token,
    find_token_owner,
)
from mujina.workspaces.deploy_tokens import entities as deploy_entities
from mujina.workspaces.deploy_tokens import operations as deploy_operations
from mujina.workspaces.deploy_tokens.params import DeployTokenForm, ListDeployTokens
from mujina.workspaces.deploy_tokens.rules import deploy_tokens_of, find_deploy_token
from mujina.workspaces.owners.rules import OwnerRule
from mujina.workspaces.projects.rules import OWN_PROJECT

_PAGE: Final = "/{owner}/settings/access_tokens"
_OWN: Final[dict[str, OwnerRule]] = {"own": {"project": OWN_PROJECT}}
SCOPES: Final = {
    "api": "do everything that its role allows, through the API and git",
    "read_api": "read through the API",
    "read_repository": "clone and fetch with git",
    "write_repository": "clone, fetch and push with git",
    "self_rotate": "replace itself by a new token",
}
DEPLOY_SCOPES: Final = {
    "read_repository": "clone and fetch with git",
    "read_package_registry": "install packages",
    "write_package_registry": "publish packages",
}


@view(_PAGE, to=ADMIN_ACCESS_TOKENS, rights=_OWN, anonymous=False)
async def show_access_tokens(request: PageRequest, created: str = "") -> HtmlPage:
    async with request.reading() as tx:
        owner = await _owner(tx, request)
        tokens = await entities.load_page(tx, owner, ListAccessTokens(state="active"), FIRST_PAGE)
        deploy_tokens = await deploy_entities.load_page(tx, deploy_tokens_of(owner), ListDeployTokens(), FIRST_PAGE)
    levels = [level for level in (LEVELS if owner.kind == "group" else PROJECT_LEVELS) if level <= owner.level]
    context = {
        "tokens": tokens.items, "deploy_tokens": deploy_tokens.items, "created": created, "roles": ROLES,
        "levels": [(level, ROLES[level]) for level in levels], "scopes": SCOPES, "deploy_scopes": DEPLOY_SCOPES,
        "tomorrow": clock.later(timedelta(days=1))[:10], "of_group": owner.kind == "group",
    }  # fmt: skip
    return HtmlPage("workspaces/access_tokens.html", context)


@form(_PAGE, to=ADMIN_ACCESS_TOKENS)
async def create_access_token(request: PageRequest) -> HtmlPage:
    change = request.read_form(AccessTokenForm, "access_token").change()
    async with request.transaction() as tx:
        new = await operations.create(tx, request.actor, await _owner(tx, request), change)
    return await show_access_tokens(request, new.token)


@form(f"{_PAGE}/revoke", to=ADMIN_ACCESS_TOKENS, again=_PAGE)
async def revoke_access_token(request: PageRequest) -> Redirect:
    async with request.transaction() as tx:
        token = await find_access_token(tx, await _owner(tx, request), request.read_form(Numbered).id)
        await operations.revoke(tx, request.actor, token)
    return Redirect(_here(request), flash="Token revoked.")


@form(f"{_PAGE}/rotate", to=ADMIN_ACCESS_TOKENS, again=_PAGE)
async def rotate_access_token(request: PageRequest) -> HtmlPage:
    """Replace a token by one that is valid for a week, and show that once."""
    async with request.transaction() as tx:
        owner = await _owner(tx, request)
        token = await find_access_token(tx, owner, request.read_form(Numbered).id)
        new = await operations.rotate(tx, request.actor, owner, token, None)
    return await show_access_tokens(request, replaced(new).token)


@form(f"{_PAGE}/deploy", to=ADMIN_ACCESS_TOKENS, again=_PAGE)
async def create_deploy_token(request: PageRequest) -> HtmlPage:
    change = request.read_form(DeployTokenForm, "deploy_token").change()
    async with request.transaction() as tx:
        new = await deploy_operations.create(tx, request.actor, await _owner(tx, request), change)
    return await show_access_tokens(request, new.token)


@form(f"{_PAGE}/deploy/revoke", to=ADMIN_ACCESS_TOKENS, again=_PAGE)
async def revoke_deploy_token(request: PageRequest) -> Redirect:
    async with request.transaction() as tx:
        owner = await _owner(tx, request)
        token = await find_deploy_token(tx, owner, request.read_form(Numbered).id)
        await deploy_operations.remove(tx, request.actor, owner, token)
    return Redirect(_here(request), flash="Token revoked.")


async def _owner(tx: Tx, request: PageRequest) -> TokenOwner:
    assert request.container is not None
    return await find_token_owner(tx, request.actor, request.container.kind, Ref.of(request.container.row.id))


def _here(request: PageRequest) -> str:
    return f"{request.here}/settings/access_tokens"
