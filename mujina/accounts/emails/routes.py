"""Secondary e-mail addresses: the caller's own, and those of other users for administrators."""

from mujina.accounts.emails import entities, operations
from mujina.accounts.emails.entities import Email
from mujina.accounts.emails.params import AddEmail
from mujina.accounts.emails.rules import find_email
from mujina.accounts.users.rules import find_person, find_user
from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.http.routing import Digits, delete, get, post
from mujina.kernel.permissions.scopes import READ_USER


@get("/user/emails", scopes=READ_USER)
async def list_own_emails(call: Call, page: Page) -> Paged[Email]:
    async with call.reading() as tx:
        return await entities.load_page(tx, call.actor.id, page)


@get("/users/:id/emails", scopes=READ_USER, admin=True)
async def list_emails(call: Call, id: Digits, page: Page) -> Paged[Email]:
    async with call.reading() as tx:
        user = await find_user(tx, id)
        return await entities.load_page(tx, user.id, page)


@get("/user/emails/:email_id", scopes=READ_USER)
async def show_own_email(call: Call, email_id: int) -> Email:
    async with call.reading() as tx:
        return entities.to_email(await find_email(tx, call.actor.id, email_id))


@post("/user/emails")
async def add_own_email(call: Call, change: AddEmail) -> Email:
    return await _add(call, call.actor.id, change)


@post("/users/:id/emails", admin=True)
async def add_email(call: Call, id: Digits, change: AddEmail) -> Email:
    return await _add(call, id, change)


async def _add(call: Call, user_id: int, change: AddEmail) -> Email:
    async with call.transaction() as tx:
        user = await find_person(tx, user_id)
        email_id = await operations.add(tx, call.actor, user.id, change.email)
        return entities.to_email(await find_email(tx, user.id, email_id))


@delete("/user/emails/:email_id")
async def delete_own_email(call: Call, email_id: int) -> None:
    async with call.transaction() as tx:
        email = await find_email(tx, call.actor.id, email_id)
        call.unless_modified(email.updated_at)
        await operations.remove(tx, call.actor, email)


@delete("/users/:id/emails/:email_id", admin=True)
async def delete_email(call: Call, id: Digits, email_id: int) -> None:
    async with call.transaction() as tx:
        user = await find_person(tx, id)
        email = await find_email(tx, user.id, email_id)
        call.unless_modified(email.updated_at)
        await operations.remove(tx, call.actor, email)
