"""The e-mail addresses of the signed-in user."""

from mujina.accounts.emails import entities, operations
from mujina.accounts.emails.params import AddEmail
from mujina.accounts.emails.rules import find_email
from mujina.kernel.pages import HtmlPage, Numbered, PageRequest, Redirect, form, view

PAGE = "/profile/emails"


@view(PAGE)
async def show_emails(visit: PageRequest) -> HtmlPage:
    async with visit.reading() as tx:
        return HtmlPage("emails.html", {"emails": await entities.addresses_of(tx, visit.actor.id)})


@form(PAGE)
async def add_email(visit: PageRequest) -> Redirect:
    address = visit.read_form(AddEmail, "email").email
    async with visit.transaction() as tx:
        await operations.add(tx, visit.actor, visit.actor.id, address)
    return Redirect(f"{PAGE}?notice=confirmation")


@form(f"{PAGE}/remove", again=PAGE)
async def remove_email(visit: PageRequest) -> Redirect:
    async with visit.transaction() as tx:
        email = await find_email(tx, visit.actor.id, visit.read_form(Numbered).id)
        await operations.remove(tx, visit.actor, email)
    return Redirect(PAGE)
