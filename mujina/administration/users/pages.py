"""Users, as administrators manage them: the list, one account, its forms; keys, identities and impersonation tokens."""

from datetime import timedelta

from msgspec import structs

from mujina.accounts.credentials import entities as tokens
from mujina.accounts.credentials import impersonation
from mujina.accounts.credentials.impersonation import find_impersonation_token
from mujina.accounts.credentials.params import CreateImpersonationToken, CreateToken
from mujina.accounts.keys import operations as keys
from mujina.accounts.keys.params import AddKey
from mujina.accounts.keys.rules import find_own_key, own_keys
from mujina.accounts.sessions.logins import is_in_directory, unlock
from mujina.accounts.users import entities, filters, operations
from mujina.accounts.users.params import CreateUser, DeleteUser, EditUser
from mujina.accounts.users.removing import operations as removal
from mujina.accounts.users.rules import UserRow, find_person, find_user_named
from mujina.accounts.users.sign_in import accounts, identities
from mujina.administration.users import filters as tabs
from mujina.administration.users.entities import usage_of
from mujina.administration.users.operations import send_reset_link
from mujina.administration.users.params import AccountNote, ListAccounts, NewIdentity
from mujina.instance.application_settings.rules import read_settings
from mujina.kernel import clock
from mujina.kernel.db.transaction import Tx
from mujina.kernel.html.pages import HtmlPage, PageRequest, Redirect, form, view
from mujina.kernel.http.paging import Page
from mujina.kernel.http.params import UNSET

LIST = "/admin/users"
USER = "/admin/users/{username}"
_MEANING = {
    "api": "do everything that the user can do through the API and git",
    "read_user": "read the profiles of users",
    "sudo": "act as any other user, if the user is an administrator",
}


@view(LIST, admin=True)
async def show_users(request: PageRequest, query: ListAccounts, page: Page) -> HtmlPage:
    if not query.search:
        query = structs.replace(query, search=UNSET)
    selection = tabs.chosen(request.actor, query)
    async with request.listing(wide=query.search) as tx:
        users = await entities.load_page(tx, request.actor, selection, filters.order(request.actor, query), page)
        context = {"users": users, "counts": await tabs.counts(tx), "query": query}
    return HtmlPage("administration/users.html", context, fragments=("users",))


@view(f"{LIST}/new", admin=True)
async def show_new_user(request: PageRequest) -> HtmlPage:
    async with request.reading() as tx:
        settings = await read_settings(tx)
    return HtmlPage(
        "administration/user_form.html", {"user": None, "settings": settings, "note": None, "in_directory": False}
    )


@form(LIST, admin=True, again=f"{LIST}/new")
async def create_user(request: PageRequest) -> Redirect:
    change = request.read_form(CreateUser, "user")
    if not change.password:
        change = structs.replace(change, password=UNSET, reset_password=True)
    password = operations.password_of(change)
    password_hash = await request.services.passwords.hash(password) if password else None
    async with request.transaction() as tx:
        user_id = await operations.create(tx, request.actor, change, password_hash)
        await accounts.set_note(tx, user_id, request.read_form(AccountNote, "user").note)
        user = await find_person(tx, user_id)
    return Redirect(f"{LIST}/{user.username}", flash="User created.")


@view(USER, admin=True)
async def show_user(request: PageRequest, username: str) -> HtmlPage:
    async with request.reading() as tx:
        user = await find_user_named(tx, username)
        context = {
            "user": await entities.load_one(tx, request.actor, user.id),
            "account": user,
            "usage": await usage_of(tx, user.id),
            "in_directory": await is_in_directory(tx, user.id),
        }
    return HtmlPage("administration/user.html", context)


@view(f"{USER}/edit", admin=True)
async def show_edit_user(request: PageRequest, username: str) -> HtmlPage:
    async with request.reading() as tx:
        user = await _person(tx, username)
        shown = await entities.load_one(tx, request.actor, user.id)
        context = {
            "user": shown,
            "settings": await read_settings(tx),
            "note": (await usage_of(tx, user.id)).note,
            "in_directory": await is_in_directory(tx, user.id),
        }
    return HtmlPage("administration/user_form.html", context)


@form(USER, admin=True, again=f"{USER}/edit")
async def edit_user(request: PageRequest, username: str) -> Redirect:
    change = request.read_form(EditUser, "user")
    if not change.password:
        change = structs.replace(change, password=UNSET)
    password_hash = await request.services.passwords.hash(change.password) if change.password else None
    async with request.transaction() as tx:
        user = await _person(tx, username, lock=True)
        await operations.edit(tx, request.actor, user, change, password_hash)
        await accounts.set_note(tx, user.id, request.read_form(AccountNote, "user").note)
        user = await find_person(tx, user.id)
    return Redirect(f"{LIST}/{user.username}", flash="Changes saved.")


@form(f"{USER}/block", admin=True, again=USER)
async def block_user(request: PageRequest, username: str) -> Redirect:
    async with request.transaction() as tx:
        user = await _person(tx, username)
        await accounts.block(tx, request.actor, user)
    return Redirect(f"{LIST}/{user.username}", flash="User blocked.")


@form(f"{USER}/unblock", admin=True, again=USER)
async def unblock_user(request: PageRequest, username: str) -> Redirect:
    """Also ends the lock that failed sign-ins put on the account."""
    async with request.transaction() as tx:
        user = await _person(tx, username)
        await accounts.unblock(tx, request.actor, user)
        await unlock(tx, request.actor, user.id)
    return Redirect(f"{LIST}/{user.username}", flash="User unblocked.")


@form(f"{USER}/approve", admin=True, again=USER)
async def approve_user(request: PageRequest, username: str) -> Redirect:
    async with request.transaction() as tx:
        user = await _person(tx, username, lock=True)
        await accounts.approve(tx, request.actor, user)
    return Redirect(f"{LIST}/{user.username}", flash="User approved.")


@form(f"{USER}/reject", admin=True, again=USER)
async def reject_user(request: PageRequest, username: str) -> Redirect:
    """Delete a user who signed up, with everything that is theirs."""
    async with request.transaction() as tx:
        user = await _person(tx, username, lock=True)
        accounts.check_pending(user, "reject")
        done = await removal.remove(tx, request.actor, user, hard=True)
    if not done:
        await removal.complete(request.services.database, user.id, hard=True)
    return Redirect(f"{LIST}?filter=pending", flash=f"@{user.username} was rejected.")


@form(f"{USER}/reset", admin=True, again=USER)
async def mail_reset_link(request: PageRequest, username: str) -> Redirect:
    async with request.transaction() as tx:
        user = await _person(tx, username)
        await send_reset_link(tx, request.actor, user)
    return Redirect(f"{LIST}/{user.username}", flash=f"A reset link is on its way to {user.email}.")


@form(f"{USER}/delete", admin=True, again=USER)
async def delete_user(request: PageRequest, username: str, change: DeleteUser) -> Redirect:
    hard = change.hard_delete is True
    async with request.transaction() as tx:
        user = await _person(tx, username)
        done = await removal.remove(tx, request.actor, user, hard=hard)
    if not done:
        await removal.complete(request.services.database, user.id, hard=hard)
    return Redirect(LIST, flash=f"@{user.username} was deleted.")


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
    return Redirect(f"{LIST}/{user.username}/keys", flash="Key added.")


@form(f"{USER}/keys/{{id:int}}/delete", admin=True, again=f"{USER}/keys")
async def delete_user_key(request: PageRequest, username: str, id: int) -> Redirect:
    async with request.transaction() as tx:
        user = await _person(tx, username)
        await keys.remove(tx, request.actor, await find_own_key(tx, user.id, id))
    return Redirect(f"{LIST}/{user.username}/keys", flash="Key removed.")


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
        user = await _person(tx, username, lock=True)
        edit = EditUser(provider=change.provider.strip(), extern_uid=change.extern_uid.strip())
        await operations.edit(tx, request.actor, user, edit, None)
    return Redirect(f"{LIST}/{user.username}/identities", flash="Identity saved.")


@form(f"{USER}/identities/{{provider}}/delete", admin=True, again=f"{USER}/identities")
async def delete_user_identity(request: PageRequest, username: str, provider: str) -> Redirect:
    async with request.transaction() as tx:
        user = await _person(tx, username, lock=True)
        await identities.remove(tx, request.actor, user, provider)
    return Redirect(f"{LIST}/{user.username}/identities", flash="Identity removed.")


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
    return Redirect(f"{LIST}/{user.username}/impersonation_tokens", flash="Token revoked.")


async def _person(tx: Tx, username: str, *, lock: bool = False) -> UserRow:
    return await find_person(tx, (await find_user_named(tx, username)).id, lock=lock)
