"""Password reset and confirmation of addresses by mailed links. Mails go to stored addresses only."""

from mujina.accounts.emails import operations as emails
from mujina.accounts.emails.rules import find_email_at
from mujina.accounts.mail_links import operations
from mujina.accounts.mail_links.operations import MailLinkRow
from mujina.accounts.mail_links.params import Confirm, NewPassword, RequestLink
from mujina.accounts.sessions.logins import failure_key
from mujina.accounts.users import validation
from mujina.accounts.users.rules import actor_of, find_user
from mujina.accounts.users.sign_in import accounts, confirmation
from mujina.kernel import errors
from mujina.kernel.db.transaction import Tx
from mujina.kernel.html.pages import HtmlPage, PageRequest, Redirect, form, view
from mujina.kernel.jobs.queue import enqueue
from mujina.kernel.limits.counters import clear_count

NO_LINK = "This link has already been used or has expired. Request a new one."
CONFIRMATIONS = ("confirmation", "further_confirmation")
_MAX_LENGTH = 320


@view("/users/password/new", anonymous=True)
async def show_forgotten(request: PageRequest) -> HtmlPage:  # noqa: ARG001 - every page is given its request
    context = {"action": "/users/password", "heading": "Forgot your password?", "button": "Send reset link"}
    return HtmlPage("forgotten.html", context)


@form("/users/password", anonymous=True)
async def request_reset(request: PageRequest) -> Redirect:
    await _enqueue(request, "mail_links.request_reset")
    return Redirect("/users/sign_in?notice=reset")


@view("/users/confirmation/new", anonymous=True)
async def show_unconfirmed(request: PageRequest) -> HtmlPage:  # noqa: ARG001 - every page is given its request
    heading, button = "Didn't receive a confirmation email?", "Send confirmation link"
    return HtmlPage("forgotten.html", {"action": "/users/confirmation/new", "heading": heading, "button": button})


@form("/users/confirmation/new", anonymous=True)
async def request_confirmation(request: PageRequest) -> Redirect:
    await _enqueue(request, "mail_links.request_confirmation")
    return Redirect("/users/sign_in?notice=confirmation")


async def _enqueue(request: PageRequest, task: str) -> None:
    """Enqueue the task for one address; a list of addresses is refused before any look-up."""
    address = request.read_form(RequestLink, "user").email.strip()
    if address and len(address) <= _MAX_LENGTH:
        async with request.transaction() as tx:
            await enqueue(tx, task, address)


@view("/users/password/edit", anonymous=True)
async def show_new_password(request: PageRequest) -> HtmlPage:
    token = (
        request.read_form(NewPassword).reset_password_token
        or request.read_form(NewPassword, "user").reset_password_token
    )
    return await _link_page(
        request, HtmlPage("new_password.html", {"token": token}), "reset", again="/users/password/new"
    )


@form("/users/password/edit", anonymous=True)
async def reset_password(request: PageRequest) -> Redirect:
    change = request.read_form(NewPassword, "user")
    validation.check_new_password(change.password, change.password_confirmation)
    hashed = await request.services.passwords.hash(change.password)
    async with request.transaction() as tx:
        link = await _link(tx, change.reset_password_token, "reset")
        user = await find_user(tx, link.user_id)
        await operations.consume(tx, link)
        await accounts.set_password(tx, actor_of(user), user, hashed)
        await clear_count(tx, failure_key(user.id))
    return Redirect("/users/sign_in?notice=changed")


@view("/users/confirmation", anonymous=True)
async def show_confirmation(request: PageRequest) -> HtmlPage:
    page = HtmlPage("confirmation.html", {"token": request.read_form(Confirm).confirmation_token})
    return await _link_page(request, page, *CONFIRMATIONS, again="/users/confirmation/new")


@form("/users/confirmation", anonymous=True)
async def confirm(request: PageRequest) -> Redirect:
    """The link alone confirms nothing: mail scanners open every link, but press no button."""
    async with request.transaction() as tx:
        link = await _link(tx, request.read_form(Confirm).confirmation_token, *CONFIRMATIONS)
        await operations.consume(tx, link)
        user = await find_user(tx, link.user_id)
        if link.purpose == "further_confirmation":
            email = await find_email_at(tx, user.id, link.address)
            await emails.confirm(tx, actor_of(user), email)
        elif not await confirmation.confirm_address(tx, actor_of(user), user, link.address):
            raise errors.bad_request(NO_LINK)
    return Redirect("/users/sign_in?notice=confirmed")


async def _link_page(request: PageRequest, page: HtmlPage, *purposes: str, again: str) -> HtmlPage:
    """The page of a mailed link, or one that offers a new link if this one cannot be used."""
    async with request.reading() as tx:
        link = await operations.find_link(tx, page.context["token"])
    if link is not None and link.purpose in purposes:
        return page
    status = 422 if request.problems else 410
    return HtmlPage("unusable_link.html", {"sentence": "" if request.problems else NO_LINK, "again": again}, status)


async def _link(tx: Tx, token: str, *purposes: str) -> MailLinkRow:
    link = await operations.find_link(tx, token, lock=True)
    if link is None or link.purpose not in purposes:
        raise errors.bad_request(NO_LINK)
    return link
