"""People."""

from mujina.domains.users import entities, filters, operations
from mujina.domains.users.params import CreateUser, ListUsers
from mujina.domains.users.rules import find_user
from mujina.kernel import errors
from mujina.kernel.http import Call, Json
from mujina.kernel.paging import Page
from mujina.kernel.routing import READ_USER, Digits, get, post


@get("/users", scopes=READ_USER, anonymous=True)
async def list_users(call: Call, query: ListUsers, page: Page) -> Json:
    if call.actor.anonymous and not query.username:
        raise errors.forbidden("Not authorized to access /api/v4/users")
    async with call.reading() as tx:
        chosen = filters.people(call.actor, query)
        people = await entities.listed(tx, call.actor, chosen, filters.order(call.actor, query), page)
        return page.of(people, await chosen.total(tx))


@get("/users/:id", scopes=READ_USER, anonymous=True)
async def show_user(call: Call, id: Digits) -> Json:
    async with call.reading() as tx:
        user = await find_user(tx, id)
        return await entities.single(tx, call.actor, user.id)


@post("/users", admin=True)
async def create_user(call: Call, change: CreateUser) -> Json:
    password = operations.password_of(change)
    secret = await call.house.passwords.hash(password) if password else None
    async with call.transaction() as tx:
        user_id = await operations.create(tx, call.actor, change, secret)
        return await entities.single(tx, call.actor, user_id)


@get("/user", scopes=READ_USER)
async def show_self(call: Call) -> Json:
    async with call.reading() as tx:
        return await entities.own(tx, call.actor)
