"""The e-mail addresses of the signed-in user."""

from mujina.accounts.emails import entities, operations
from mujina.accounts.emails.params import AddEmail
from mujina.accounts.emails.rules import find_email
from mujina.accounts.sessions.logins import is_in_directory
from mujina.kernel.html.pages import HtmlPage, Numbered, PageRequest, Redirect, confirmation, form, view

PAGE = "/profile/emails"


@view(PAGE)
async def show_emails(request: PageRequest) -> HtmlPage:
    async with request.reading() as tx:
        context = {
            "emails": await entities.addresses_of(tx, request.actor.id),
            "in_directory": await is_in_directory(tx, request.actor.id),
        }
    return HtmlPage("emails.html", context)


@form(PAGE)
async def add_email(request: PageRequest) -> Redirect:
    address = request.read_form(AddEmail, "email").email
    async with request.transaction() as tx:
        await operations.add(tx, request.actor, request.actor.id, address)
    return Redirect(f"{PAGE}?notice=confirmation")


@view(f"{PAGE}/remove")
async def confirm_email_removal(request: PageRequest) -> HtmlPage:
    async with request.reading() as tx:
        email = await find_email(tx, request.actor.id, request.read_form(Numbered).id)
    consequence = "This address will no longer belong to your account."
    return confirmation(
        f"Remove {email.email}?", consequence, "Remove email address", action=f"{PAGE}/remove", id=email.id, back=PAGE
    )


@form(f"{PAGE}/remove", again=PAGE)
async def remove_email(request: PageRequest) -> Redirect:
    async with request.transaction() as tx:
        email = await find_email(tx, request.actor.id, request.read_form(Numbered).id)
        await operations.remove(tx, request.actor, email)
    return Redirect(PAGE)
