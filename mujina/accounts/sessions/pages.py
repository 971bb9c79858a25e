"""Signing in and out, and the list of sessions."""

import msgspec

from mujina.accounts.sessions import entities, operations, tickets
from mujina.accounts.sessions.logins import (
    MAX_FAILURES,
    LoginRow,
    clear_failures,
    count_failure,
    failure_key,
    find_login,
    log_failure,
    recent_failures,
)
from mujina.accounts.sessions.params import SecondFactor, SignIn
from mujina.accounts.two_factor import operations as two_factor
from mujina.instance.application_settings.rules import read_settings
from mujina.kernel import errors
from mujina.kernel.pages import FORGOTTEN, HtmlPage, Numbered, PageRequest, Redirect, form, view
from mujina.kernel.urls import instance_address, is_local

NOT_YOU = "Invalid login or password. After ten failures an account rests for ten minutes."
UNCONFIRMED = "You have to confirm your e-mail address before you can sign in."
BLOCKED = "Your account has been blocked."


@view("/", anonymous=True)
async def show_start(visit: PageRequest) -> Redirect:
    if visit.session:
        return Redirect("/profile")
    async with visit.reading() as tx:
        home = (await read_settings(tx)).home_page_url
    return Redirect(home if home and home.rstrip("/") not in ("", instance_address.get().base) else "/users/sign_in")


@view("/users/sign_in", anonymous=True)
async def show_sign_in(visit: PageRequest) -> HtmlPage | Redirect:
    if visit.session is not None:
        return Redirect(visit.target("/"))
    async with visit.reading() as tx:
        text = (await read_settings(tx)).sign_in_text or ""
    context = {"login": visit.read_form(SignIn, "user").login, "target": visit.target("/"), "text": text}
    return HtmlPage("sign_in.html", context, leads_outside=True)


@form("/users/sign_in", anonymous=True)
async def sign_in(visit: PageRequest) -> HtmlPage | Redirect:
    credentials = visit.read_form(SignIn, "user")
    login = await find_login(visit.services, credentials.login, credentials.password, visit.address)
    async with visit.reading() as tx:
        settings = await read_settings(tx)
    if login is None or not settings.password_authentication_enabled_for_web:
        raise errors.bad_request(NOT_YOU)
    # After a correct password the error may say what else is wrong.
    if login.state != "active":
        log_failure(login, visit.address, "blocked")
        raise errors.bad_request(BLOCKED)
    if login.confirmed_at is None:
        raise errors.bad_request(UNCONFIRMED)
    return _ask_for_code(visit, login) if login.two_factor_enabled else await _start_session(visit, login)


def _ask_for_code(visit: PageRequest, login: LoginRow) -> HtmlPage:
    ticket = tickets.issue(visit.services.vault, login)
    return HtmlPage("second_factor.html", {"ticket": ticket, "target": visit.target("/")}, leads_outside=True)


@form("/users/sign_in/second_factor", anonymous=True)
async def sign_in_with_code(visit: PageRequest) -> HtmlPage | Redirect:
    """The ticket proves that the password was correct a short time ago; the code is the second factor."""
    second_factor = visit.read_form(SecondFactor)
    async with visit.transaction() as tx:
        login = await tickets.read(tx, visit.services.vault, second_factor.ticket)
        if login is None:
            return Redirect("/users/sign_in")
        key = failure_key(login.id)
        failures = await recent_failures(tx, key)
        verified = failures < MAX_FAILURES and await two_factor.verify(
            tx, visit.services.vault, login.id, second_factor.code
        )
        await (clear_failures(tx, key) if verified else count_failure(tx, key))
    if verified:
        return await _start_session(visit, login)
    log_failure(login, visit.address, "wrong code", failures + 1)
    visit.problems = [two_factor.WRONG_CODE]
    return msgspec.structs.replace(_ask_for_code(visit, login), status=422)


async def _start_session(visit: PageRequest, login: LoginRow) -> Redirect:
    async with visit.transaction() as tx:
        visit.new_cookie = await operations.start(tx, login, former_cookie=visit.cookie)
    if visit.new_cookie is None:
        raise errors.bad_request(NOT_YOU)
    return Redirect(visit.target("/"))


@form("/users/sign_out", anonymous=True, settles=("password", "second factor"))
async def sign_out(visit: PageRequest) -> HtmlPage | Redirect:
    if visit.session is not None:
        async with visit.transaction() as tx:
            await operations.end_one(tx, visit.actor, visit.session.id)
    visit.new_cookie = FORGOTTEN
    async with visit.reading() as tx:
        there = (await read_settings(tx)).after_sign_out_path or "/users/sign_in"
    # Our content security policy keeps forms from redirecting to another site; a page with a link may lead there.
    return Redirect(there) if is_local(there) else HtmlPage("signed_out.html", {"target": there})


@view("/profile/sessions")
async def show_sessions(visit: PageRequest) -> HtmlPage:
    async with visit.reading() as tx:
        return HtmlPage("sessions.html", {"sessions": await entities.sessions_of(tx, visit.actor.id)})


@form("/profile/sessions/end", again="/profile/sessions")
async def end_session(visit: PageRequest) -> Redirect:
    async with visit.transaction() as tx:
        if not await operations.end_one(tx, visit.actor, visit.read_form(Numbered).id):
            raise errors.not_found("Session")
    return Redirect("/profile/sessions")
