"""People."""

from mujina.accounts.users import accounts, avatars, entities, filters, operations, removal
from mujina.accounts.users.avatars import staged_avatar
from mujina.accounts.users.params import CreateUser, DeleteUser, EditUser, ListActivities, ListUsers
from mujina.accounts.users.rules import find_person, find_user
from mujina.instance.application_settings.rules import read_settings
from mujina.kernel import errors
from mujina.kernel.http import Call, Json
from mujina.kernel.paging import Page
from mujina.kernel.routing import READ_USER, Digits, delete, get, post, put


@get("/users", scopes=READ_USER, anonymous=True)
async def list_users(call: Call, query: ListUsers, page: Page) -> Json:
    async with call.reading() as tx:
        if call.actor.anonymous and (not query.username or (await read_settings(tx)).forbids("public")):
            raise errors.forbidden("Not authorized to access /api/v4/users")
        chosen = filters.people(call.actor, query)
        people = await entities.listed(tx, call.actor, chosen, filters.order(call.actor, query), page)
        return page.of(people, await chosen.total(tx))


@get("/users/:id", scopes=READ_USER, anonymous=True)
async def show_user(call: Call, id: Digits) -> Json:
    async with call.reading() as tx:
        if call.actor.anonymous and (await read_settings(tx)).forbids("public"):
            raise errors.not_found("User")
        user = await find_user(tx, id)
        return await entities.single(tx, call.actor, user.id)


@post("/users", admin=True)
async def create_user(call: Call, change: CreateUser) -> Json:
    password = operations.password_of(change)
    secret = await call.services.passwords.hash(password) if password else None
    async with staged_avatar(call.services.files, change.avatar) as avatar, call.transaction() as tx:
        user_id = await operations.create(tx, call.actor, change, secret)
        await avatars.put(tx, call.actor, user_id, avatar)
        return await entities.single(tx, call.actor, user_id)


@put("/users/:id", admin=True)
async def edit_user(call: Call, id: Digits, change: EditUser) -> Json:
    secret = await call.services.passwords.hash(change.password) if change.password else None
    async with staged_avatar(call.services.files, change.avatar) as avatar, call.transaction() as tx:
        user = await find_person(tx, id)
        await operations.edit(tx, call.actor, user, change, secret)
        await avatars.put(tx, call.actor, user.id, avatar)
        return await entities.single(tx, call.actor, user.id)


@delete("/users/:id", admin=True)
async def delete_user(call: Call, id: Digits, change: DeleteUser) -> Json:
    async with call.transaction() as tx:
        user = await find_person(tx, id)
        call.unless_modified(user.updated_at)
        await removal.remove(tx, call.actor, user, hard=change.hard_delete is True)


@get("/user", scopes=READ_USER)
async def show_self(call: Call) -> Json:
    async with call.reading() as tx:
        return await entities.own(tx, call.actor)


@post("/users/:id/block", admin=True)
async def block_user(call: Call, id: Digits) -> Json:
    async with call.transaction() as tx:
        return await accounts.block(tx, call.actor, await find_person(tx, id))


@post("/users/:id/unblock", admin=True)
async def unblock_user(call: Call, id: Digits) -> Json:
    async with call.transaction() as tx:
        return await accounts.unblock(tx, call.actor, await find_person(tx, id))


@get("/user/activities", scopes=READ_USER, admin=True)
async def list_user_activities(call: Call, query: ListActivities, page: Page) -> Json:
    async with call.reading() as tx:
        chosen = filters.active_since(query.from_ or filters.six_months_ago())
        return page.of(await entities.activities(tx, chosen, page), await chosen.total(tx))
