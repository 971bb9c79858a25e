"""Signing in and out, and the list of sessions."""

import msgspec

from mujina.accounts.ldap.rules import find_directory, usable_directories
from mujina.accounts.sessions import entities, operations, security_log, tickets
from mujina.accounts.sessions.logins import (
    MAX_FAILURES,
    LoginRow,
    count_failure,
    failure_key,
    find_login,
    log_failure,
    recent_failures,
)
from mujina.accounts.sessions.params import DirectorySignIn, SecondFactor, SignIn
from mujina.accounts.two_factor import operations as two_factor
from mujina.accounts.users.sign_in.accounts import PENDING
from mujina.instance.application_settings.rules import read_settings
from mujina.kernel import errors
from mujina.kernel.html.pages import FORGOTTEN, HtmlPage, Numbered, PageRequest, Redirect, form, view
from mujina.kernel.http.paging import Page
from mujina.kernel.limits.counters import clear_count
from mujina.kernel.urls import is_local

INVALID_LOGIN = "Invalid login or password. After ten failures an account is locked for ten minutes."
UNCONFIRMED = "You have to confirm your e-mail address before you can sign in."
BLOCKED = "Your account has been blocked."
NOT_APPROVED = "Your account is waiting for approval by an administrator."
AFTER_SIGN_UP = ("registered", "check_mail", "pending")
"""Notices of the sign-in page to which signing up leads."""


@view("/users/sign_in", anonymous=True)
async def show_sign_in(request: PageRequest) -> HtmlPage | Redirect:
    if request.session is not None:
        return Redirect(request.target("/"))
    async with request.reading() as tx:
        settings = await read_settings(tx)
    signed_up = request.tree.get("notice") in AFTER_SIGN_UP and settings.registration_open
    text = (settings.after_sign_up_text if signed_up else None) or settings.sign_in_text or ""
    if request.services.node_id is not None:
        return HtmlPage("sign_in_at_primary.html", {"target": request.target("/"), "text": text})
    context = {
        "login": request.read_form(SignIn, "user").login, "target": request.target("/"), "text": text,
        "directories": usable_directories(request.services.settings), "registration_open": settings.registration_open,
    }  # fmt: skip
    return HtmlPage("sign_in.html", context, leads_outside=True)


@form("/users/sign_in", anonymous=True)
async def sign_in(request: PageRequest) -> HtmlPage | Redirect:
    credentials = request.read_form(SignIn, "user")
    login = await find_login(
        request.services, credentials.login, credentials.password, request.address, purpose="session"
    )
    async with request.reading() as tx:
        settings = await read_settings(tx)
    if login is None or (login.local and not settings.password_authentication_enabled_for_web):
        raise errors.bad_request(INVALID_LOGIN)
    return await _sign_in(request, login)


@form("/users/auth/{provider}/callback", anonymous=True, again="/users/sign_in")
async def sign_in_by_directory(request: PageRequest) -> HtmlPage | Redirect:
    """Sign in by one directory, even where a local account has the same name."""
    provider = request.captured["provider"]
    if find_directory(request.services.settings, provider) is None:
        raise errors.not_found("Provider")
    plain, nested = request.read_form(DirectorySignIn), request.read_form(SignIn, "user")
    login = await find_login(
        request.services, nested.login or plain.username, nested.password or plain.password, request.address,
        purpose="session", provider=provider,
    )  # fmt: skip
    if login is None:
        raise errors.bad_request(INVALID_LOGIN)
    return await _sign_in(request, login)


async def _sign_in(request: PageRequest, login: LoginRow) -> HtmlPage | Redirect:
    # After a correct password the error may say what else is wrong.
    if login.state != "active":
        log_failure(login, request.address, "blocked")
        async with request.transaction() as tx:
            await operations.record_refusal(tx, login)
        raise errors.bad_request(NOT_APPROVED if login.state == PENDING else BLOCKED)
    if login.confirmed_at is None:
        raise errors.bad_request(UNCONFIRMED)
    return _ask_for_code(request, login) if login.two_factor_enabled else await _start_session(request, login)


def _ask_for_code(request: PageRequest, login: LoginRow) -> HtmlPage:
    ticket = tickets.issue(request.services.vault, login)
    return HtmlPage("second_factor.html", {"ticket": ticket, "target": request.target("/")}, leads_outside=True)


@form("/users/sign_in/second_factor", anonymous=True)
async def sign_in_with_code(request: PageRequest) -> HtmlPage | Redirect:
    """The ticket proves that the password was correct a short time ago; the code is the second factor."""
    second_factor = request.read_form(SecondFactor)
    async with request.transaction() as tx:
        login = await tickets.read(tx, request.services.vault, second_factor.ticket)
        if login is None:
            return Redirect("/users/sign_in")
        key = failure_key(login.id)
        failures = await recent_failures(tx, key)
        verified = failures < MAX_FAILURES and await two_factor.verify(
            tx, request.services.vault, login.id, second_factor.code
        )
        await (clear_count(tx, key) if verified else count_failure(tx, key))
    if verified:
        return await _start_session(request, login)
    log_failure(login, request.address, "wrong code", failures + 1)
    request.reasons = [two_factor.WRONG_CODE]
    return msgspec.structs.replace(_ask_for_code(request, login), status=422)


async def _start_session(request: PageRequest, login: LoginRow) -> Redirect:
    async with request.transaction() as tx:
        request.new_cookie = await operations.start(tx, login, request.origin, former_cookie=request.cookie)
    if request.new_cookie is None:
        raise errors.bad_request(INVALID_LOGIN)
    return Redirect(request.target("/"))


@form("/users/sign_out", anonymous=True, satisfies=("password", "second factor"))
async def sign_out(request: PageRequest) -> HtmlPage | Redirect:
    if request.session is not None:
        async with request.transaction() as tx:
            await operations.end_one(tx, request.actor, request.session.id)
    request.new_cookie = FORGOTTEN
    async with request.reading() as tx:
        there = (await read_settings(tx)).after_sign_out_path or "/users/sign_in"
    # Our content security policy keeps forms from redirecting to another site; a page with a link may lead there.
    return Redirect(there) if is_local(there) else HtmlPage("signed_out.html", {"target": there})


@view("/profile/sessions")
async def show_sessions(request: PageRequest) -> HtmlPage:
    async with request.reading() as tx:
        return HtmlPage("sessions.html", {"sessions": await entities.sessions_of(tx, request.actor.id)})


@form("/profile/sessions/end", again="/profile/sessions")
async def end_session(request: PageRequest) -> Redirect:
    async with request.transaction() as tx:
        if not await operations.end_one(tx, request.actor, request.read_form(Numbered).id):
            raise errors.not_found("Session")
    return Redirect("/profile/sessions")


@view("/profile/audit_log")
async def show_security_log(request: PageRequest, page: Page) -> HtmlPage:
    async with request.reading() as tx:
        return HtmlPage("accounts/security_log.html", {"log": await security_log.load_page(tx, request.actor.id, page)})
