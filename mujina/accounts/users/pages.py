"""Profile, password and primary e-mail address of the signed-in user."""

from mujina.accounts.sessions import operations as sessions
from mujina.accounts.sessions.logins import check_own_password
from mujina.accounts.users import accounts, entities, operations, validation
from mujina.accounts.users.params import ChangeEmail, ChangePassword, EditProfile, EditUser
from mujina.accounts.users.rules import find_person, find_user
from mujina.kernel.pages import HtmlPage, PageRequest, Redirect, form, view


@view("/profile")
async def show_profile(visit: PageRequest) -> HtmlPage:
    async with visit.reading() as tx:
        return HtmlPage("profile.html", {"user": await entities.own(tx, visit.actor)})


@form("/profile")
async def edit_profile(visit: PageRequest) -> Redirect:
    """`EditProfile` declares the fields that users may change themselves."""
    change = EditUser(**visit.read_form(EditProfile, "user").given())
    async with visit.transaction() as tx:
        await operations.edit(tx, visit.actor, await find_person(tx, visit.actor.id, lock=True), change, None)
    return Redirect("/profile?notice=saved")


@form("/profile/email", again="/profile/emails")
async def change_email(visit: PageRequest) -> Redirect:
    """Request a new address, which replaces the current one once it is confirmed. It needs the password too."""
    change = visit.read_form(ChangeEmail, "user")
    await check_own_password(visit.services, visit.actor, change.current_password)
    async with visit.transaction() as tx:
        user = await find_person(tx, visit.actor.id, lock=True)
        await operations.edit(tx, visit.actor, user, EditUser(email=change.email), None)
    return Redirect("/profile/emails?notice=confirmation")


@view("/profile/password/new", settles=("password",))
async def show_expired_password(visit: PageRequest) -> HtmlPage:
    return _password_page(visit)


@view("/profile/password/edit", settles=("password",))
async def show_password(visit: PageRequest) -> HtmlPage:
    return _password_page(visit)


@form("/profile/password/edit", settles=("password",))
async def change_password(visit: PageRequest) -> Redirect:
    """A new password ends every session; this browser gets a new one."""
    change = visit.read_form(ChangePassword, "user")
    validation.check_new_password(change.password, change.password_confirmation, current=change.current_password)
    await check_own_password(visit.services, visit.actor, change.current_password)
    hashed = await visit.services.passwords.hash(change.password)
    async with visit.transaction() as tx:
        await accounts.set_password(tx, visit.actor, await find_user(tx, visit.actor.id), hashed)
        visit.new_cookie = await sessions.start_for(tx, visit.actor)
    return Redirect("/profile?notice=saved")


def _password_page(visit: PageRequest) -> HtmlPage:
    return HtmlPage("password.html", {"forced": visit.session is not None and visit.session.debt == "password"})
