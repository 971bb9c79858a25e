"""Signing in and out."""

from mujina.domains.application.rules import read_settings
from mujina.domains.sessions import operations
from mujina.domains.sessions.logins import LoginRow, find_login
from mujina.domains.sessions.params import SignIn
from mujina.kernel import errors
from mujina.kernel.pages import Elsewhere, Shown, Visit, form, view

NOT_YOU = "Invalid login or password. After ten failures an account rests for ten minutes."
UNCONFIRMED = "You have to confirm your e-mail address before you can sign in."
BLOCKED = "Your account has been blocked."


@view("/", anonymous=True)
async def show_start(visit: Visit) -> Elsewhere:
    return Elsewhere("/profile" if visit.session else "/users/sign_in")


@view("/users/sign_in", anonymous=True)
async def show_sign_in(visit: Visit) -> Shown | Elsewhere:
    if visit.session is not None:
        return Elsewhere(visit.target("/"))
    login = visit.said(SignIn, "user").login
    return Shown("sign_in.html", {"login": login, "target": visit.target("/")}, leads_outside=True)


@form("/users/sign_in", anonymous=True)
async def sign_in(visit: Visit) -> Elsewhere:
    said = visit.said(SignIn, "user")
    login = await find_login(visit.house, said.login, said.password)
    async with visit.reading() as tx:
        settings = await read_settings(tx)
    if login is None or not settings.password_authentication_enabled_for_web:
        raise errors.bad_request(NOT_YOU)
    # Whoever knows the password may know what else is wrong.
    if login.state != "active":
        raise errors.bad_request(BLOCKED)
    if login.confirmed_at is None:
        raise errors.bad_request(UNCONFIRMED)
    return await _let_in(visit, login)


async def _let_in(visit: Visit, login: LoginRow) -> Elsewhere:
    async with visit.transaction() as tx:
        visit.new_cookie = await operations.begin(tx, login, before=visit.cookie)
    if visit.new_cookie is None:
        raise errors.bad_request(NOT_YOU)
    return Elsewhere(visit.target("/"))


@form("/users/sign_out", anonymous=True, expired=True)
async def sign_out(visit: Visit) -> Elsewhere:
    async with visit.transaction() as tx:
        await operations.end(tx, visit.cookie)
    visit.new_cookie = ""
    return Elsewhere("/users/sign_in")
