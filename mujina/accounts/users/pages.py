"""Profile, account, preferences, password and primary e-mail address of the signed-in user."""

from urllib.parse import urlsplit

from mujina.accounts.emails import operations as emails
from mujina.accounts.emails.entities import confirmed_addresses
from mujina.accounts.sessions import operations as sessions
from mujina.accounts.sessions.logins import check_not_in_directory, check_own_password, is_in_directory
from mujina.accounts.users import entities, operations, validation
from mujina.accounts.users.params import (
    ChangeAvatar,
    ChangeEmail,
    ChangePassword,
    ChangeUsername,
    DeleteAccount,
    EditPreferences,
    EditProfile,
    EditUser,
    PublicProfile,
)
from mujina.accounts.users.profile import avatars, preferences
from mujina.accounts.users.profile.avatars import staged_avatar
from mujina.accounts.users.removing import operations as removal
from mujina.accounts.users.rules import find_person, find_user
from mujina.accounts.users.sign_in import accounts
from mujina.kernel import errors
from mujina.kernel.errors import BLANK
from mujina.kernel.html.pages import FORGOTTEN, HtmlPage, PageRequest, Redirect, form, leads_to_client, view
from mujina.kernel.http.forms import Upload
from mujina.kernel.http.params import UNSET


@view("/profile")
async def show_profile(request: PageRequest) -> HtmlPage:
    async with request.reading() as tx:
        user = await entities.own(tx, request.actor)
        addresses = [(each, each) for each in await confirmed_addresses(tx, user.id)]
        context = {"user": user, "addresses": addresses, "shown": await preferences.find_public_profile(tx, user.id)}
    # The content security policy allows images of this site only, by the name that the browser used for it.
    return HtmlPage("profile.html", {**context, "avatar": urlsplit(user.avatar_url or "").path})


@form("/profile")
async def edit_profile(request: PageRequest) -> Redirect:
    """`EditProfile` declares the fields that users may change themselves."""
    change = EditUser(**request.read_form(EditProfile, "user").sent_fields())
    shown = request.read_form(PublicProfile, "user")
    async with request.transaction() as tx:
        await operations.edit(tx, request.actor, await find_person(tx, request.actor.id, lock=True), change, None)
        if shown.public_email is not UNSET:
            await emails.publish(tx, request.actor, request.actor.id, shown.public_email.strip())
        if shown.private_contributions is not UNSET:
            await preferences.show_contributions(tx, request.actor, private=shown.private_contributions)
    return Redirect("/profile?notice=saved")


@view("/profile/account")
async def show_account(request: PageRequest) -> HtmlPage:
    async with request.reading() as tx:
        return HtmlPage("accounts/account.html", {"user": await entities.own(tx, request.actor)})


@form("/profile/username", again="/profile/account")
async def change_username(request: PageRequest) -> Redirect:
    """A new username moves the user's projects, so it has a form of its own."""
    change = EditUser(username=request.read_form(ChangeUsername, "user").username.strip())
    async with request.transaction() as tx:
        await operations.edit(tx, request.actor, await find_person(tx, request.actor.id, lock=True), change, None)
    return Redirect("/profile/account?notice=saved")


@form("/profile/account/delete", again="/profile/account")
async def delete_account(request: PageRequest) -> Redirect:
    """The user's contributions are kept under another name. 409 while they are the only owner of a group."""
    change = request.read_form(DeleteAccount, "account")
    if change.username.strip() != request.actor.username:
        raise errors.invalid({"username": ["is not yours"]})
    await check_own_password(request.services, request.actor, change.current_password)
    async with request.transaction() as tx:
        user = await find_person(tx, request.actor.id)
        done = await removal.remove(tx, request.actor, user, hard=False)
    if not done:
        await removal.complete(request.services.database, user.id, hard=False)
    request.new_cookie = FORGOTTEN
    return Redirect("/users/sign_in?notice=deleted")


@view("/profile/preferences")
async def show_preferences(request: PageRequest) -> HtmlPage:
    async with request.reading() as tx:
        chosen = await preferences.find_preferences(tx, request.actor.id)
    token = preferences.feed_token(request.services.vault, request.actor.id, chosen.feed_token_version)
    return HtmlPage("accounts/preferences.html", {"preferences": chosen, "feed_token": token})


@form("/profile/preferences")
async def edit_preferences(request: PageRequest) -> Redirect:
    change = request.read_form(EditPreferences, "preferences")
    async with request.transaction() as tx:
        await preferences.edit(tx, request.actor, change)
    return Redirect("/profile/preferences", flash="Preferences saved.")


@form("/profile/preferences/reset_feed_token", again="/profile/preferences")
async def reset_feed_token(request: PageRequest) -> Redirect:
    async with request.transaction() as tx:
        await preferences.reset_feed_token(tx, request.actor)
    return Redirect("/profile/preferences", flash="The feed token was reset.")


@form("/profile/avatar", again="/profile")
async def change_avatar(request: PageRequest) -> Redirect:
    avatar = request.read_form(ChangeAvatar, "user").avatar
    if not isinstance(avatar, Upload) or not avatar.data:
        raise errors.invalid({"avatar": [BLANK]})
    return await _put_avatar(request, avatar)


@form("/profile/avatar/remove", again="/profile")
async def remove_avatar(request: PageRequest) -> Redirect:
    return await _put_avatar(request, None)


async def _put_avatar(request: PageRequest, upload: Upload | None) -> Redirect:
    async with staged_avatar(request.services.files, upload) as avatar, request.transaction() as tx:
        await avatars.put(tx, request.actor, request.actor.id, avatar)
    return Redirect("/profile?notice=saved")


@form("/profile/email", again="/profile/emails")
async def change_email(request: PageRequest) -> Redirect:
    """Request a new address, which replaces the current one once it is confirmed. It needs the password too."""
    change = request.read_form(ChangeEmail, "user")
    await check_not_in_directory(request.services, request.actor, "email")
    await check_own_password(request.services, request.actor, change.current_password)
    async with request.transaction() as tx:
        user = await find_person(tx, request.actor.id, lock=True)
        await operations.edit(tx, request.actor, user, EditUser(email=change.email), None)
    return Redirect("/profile/emails?notice=confirmation")


@view("/profile/password/new", satisfies=("password",))
async def show_expired_password(request: PageRequest) -> HtmlPage:
    return await _password_page(request)


@view("/profile/password/edit", satisfies=("password",))
async def show_password(request: PageRequest) -> HtmlPage:
    return await _password_page(request)


@form("/profile/password/edit", satisfies=("password",))
async def change_password(request: PageRequest) -> Redirect:
    """A new password ends every session; this browser gets a new one."""
    change = request.read_form(ChangePassword, "user")
    await check_not_in_directory(request.services, request.actor, "password")
    validation.check_new_password(change.password, change.password_confirmation, current=change.current_password)
    await check_own_password(request.services, request.actor, change.current_password)
    hashed = await request.services.passwords.hash(change.password)
    async with request.transaction() as tx:
        await accounts.set_password(tx, request.actor, await find_user(tx, request.actor.id), hashed)
        request.new_cookie = await sessions.start_for(tx, request.actor, request.origin)
    return Redirect(request.target("/" if _is_forced(request) else "/profile"), flash="Your password was changed.")


async def _password_page(request: PageRequest) -> HtmlPage:
    forced = _is_forced(request)
    target = request.target("/" if forced else "/profile")
    async with request.reading() as tx:
        context = {"forced": forced, "target": target, "in_directory": await is_in_directory(tx, request.actor.id)}
    return HtmlPage("password.html", context, leads_outside=leads_to_client(target))


def _is_forced(request: PageRequest) -> bool:
    """Whether the user has to choose a password before anything else."""
    return request.session is not None and request.session.pending_setup == "password"
