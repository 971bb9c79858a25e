"""How users get in, as administrators manage it: SSH keys, identities at other providers, impersonation tokens."""

from datetime import timedelta

from mujina.accounts.credentials import entities as tokens
from mujina.accounts.credentials import impersonation
from mujina.accounts.credentials.impersonation import find_impersonation_token
from mujina.accounts.credentials.params import CreateImpersonationToken, CreateToken
from mujina.accounts.keys import operations as keys
from mujina.accounts.keys.params import AddKey
from mujina.accounts.keys.rules import find_own_key, own_keys
from mujina.accounts.users import entities, operations
from mujina.accounts.users.params import EditUser
from mujina.accounts.users.rules import UserRow, find_person, find_user_named
from mujina.accounts.users.sign_in import identities
from mujina.administration.users.params import NewIdentity
from mujina.kernel import clock
from mujina.kernel.db.transaction import Tx
from mujina.kernel.html.pages import HtmlPage, PageRequest, Redirect, form, view
from mujina.kernel.http.paging import Page

USER = "/admin/users/{username}"
_MEANING = {
    "api": "do everything that the user can do through the API and git",
    "read_user": "read the profiles of users",
    "sudo": "act as any other user, if the user is an administrator",
}


async def _person(tx: Tx, username: str) -> UserRow:
    return await find_person(tx, (await find_user_named(tx, username)).id)


@view(f"{USER}/keys", admin=True)
async def show_user_keys(request: PageRequest, username: str) -> HtmlPage:
    async with request.reading() as tx:
        user = await find_user_named(tx, username)
        context = {"user": user, "keys": await own_keys(tx, user.id)}
    return HtmlPage("administration/user_keys.html", context)


@form(f"{USER}/keys", admin=True)
async def add_user_key(request: PageRequest, username: str) -> Redirect:
    key = request.read_form(AddKey, "key")
    async with request.transaction() as tx:
        user = await _person(tx, username)
        await keys.add(tx, request.actor, user.id, key)
    return Redirect(f"/admin/users/{user.username}/keys", flash="Key added.")


@form(f"{USER}/keys/{{id:int}}/delete", admin=True, again=f"{USER}/keys")
async def delete_user_key(request: PageRequest, username: str, id: int) -> Redirect:
    async with request.transaction() as tx:
        user = await _person(tx, username)
        await keys.remove(tx, request.actor, await find_own_key(tx, user.id, id))
    return Redirect(f"/admin/users/{user.username}/keys", flash="Key removed.")


@view(f"{USER}/identities", admin=True)
async def show_user_identities(request: PageRequest, username: str) -> HtmlPage:
    async with request.reading() as tx:
        user = await find_user_named(tx, username)
        [shown] = await entities.full(tx, request.actor, [user.id])
    return HtmlPage("administration/user_identities.html", {"user": user, "identities": shown.identities})


@form(f"{USER}/identities", admin=True)
async def put_user_identity(request: PageRequest, username: str) -> Redirect:
    change = request.read_form(NewIdentity, "identity")
    async with request.transaction() as tx:
        user = await find_person(tx, (await find_user_named(tx, username)).id, lock=True)
        edit = EditUser(provider=change.provider.strip(), extern_uid=change.extern_uid.strip())
        await operations.edit(tx, request.actor, user, edit, None)
    return Redirect(f"/admin/users/{user.username}/identities", flash="Identity saved.")


@form(f"{USER}/identities/{{provider}}/delete", admin=True, again=f"{USER}/identities")
async def delete_user_identity(request: PageRequest, username: str, provider: str) -> Redirect:
    async with request.transaction() as tx:
        user = await find_person(tx, (await find_user_named(tx, username)).id, lock=True)
        await identities.remove(tx, request.actor, user, provider)
    return Redirect(f"/admin/users/{user.username}/identities", flash="Identity removed.")


@view(f"{USER}/impersonation_tokens", admin=True)
async def show_impersonation_tokens(request: PageRequest, username: str, page: Page, created: str = "") -> HtmlPage:
    """Shows tokens without their values, which only the response to creating one shows."""
    async with request.reading() as tx:
        user = await find_user_named(tx, username)
        context = {
            "user": user, "created": created, "scopes": _MEANING, "tomorrow": clock.later(timedelta(days=1))[:10],
            "tokens": await tokens.load_page(tx, request.services.vault, user.id, "all", page),
        }  # fmt: skip
    return HtmlPage("administration/impersonation_tokens.html", context)


@form(f"{USER}/impersonation_tokens", admin=True)
async def create_impersonation_token(request: PageRequest, username: str, page: Page) -> HtmlPage:
    given = request.read_form(CreateToken, "personal_access_token")
    change = CreateImpersonationToken(name=given.name, scopes=given.scopes, expires_at=given.expires_at)
    async with request.transaction() as tx:
        user = await _person(tx, username)
        token_id = await impersonation.create(tx, request.services.vault, request.actor, user.id, change)
        token = tokens.to_impersonation_token(
            request.services.vault, await find_impersonation_token(tx, user.id, token_id)
        )
    return await show_impersonation_tokens(request, username, page, token.token)


@form(f"{USER}/impersonation_tokens/{{id:int}}/revoke", admin=True, again=f"{USER}/impersonation_tokens")
async def revoke_impersonation_token(request: PageRequest, username: str, id: int) -> Redirect:
    async with request.transaction() as tx:
        user = await find_user_named(tx, username)
        await impersonation.revoke(tx, request.actor, await find_impersonation_token(tx, user.id, id))
    return Redirect(f"/admin/users/{user.username}/impersonation_tokens", flash="Token revoked.")
