"""One's own addresses."""

from mujina.accounts.emails import entities, operations
from mujina.accounts.emails.params import AddEmail
from mujina.accounts.emails.rules import find_email
from mujina.kernel.pages import Elsewhere, Numbered, Shown, Visit, form, view

PAGE = "/profile/emails"


@view(PAGE)
async def show_emails(visit: Visit) -> Shown:
    async with visit.reading() as tx:
        return Shown("emails.html", {"emails": await entities.addresses_of(tx, visit.actor.id)})


@form(PAGE)
async def add_email(visit: Visit) -> Elsewhere:
    said = visit.said(AddEmail, "email")
    async with visit.transaction() as tx:
        await operations.add(tx, visit.actor, visit.actor.id, said.email)
    return Elsewhere(f"{PAGE}?notice=confirmation")


@form(f"{PAGE}/remove", again=PAGE)
async def remove_email(visit: Visit) -> Elsewhere:
    async with visit.transaction() as tx:
        email = await find_email(tx, visit.actor.id, visit.said(Numbered).id)
        await operations.remove(tx, visit.actor, email)
    return Elsewhere(PAGE)
