"""SSH keys: the caller's own, and those of other users for administrators."""

from mujina.accounts.keys import entities, operations
from mujina.accounts.keys.entities import Key, KeyWithUser
from mujina.accounts.keys.params import AddKey
from mujina.accounts.keys.rules import find_any_key, find_own_key
from mujina.accounts.users.rules import find_person, find_user
from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.http.routing import Digits, delete, get, post
from mujina.kernel.permissions.scopes import READ_USER


@get("/user/keys", scopes=READ_USER)
async def list_own_keys(call: Call, page: Page) -> Paged[Key]:
    async with call.reading() as tx:
        return await entities.load_page(tx, call.actor.id, page)


@get("/users/:id/keys", scopes=READ_USER, admin=True)
async def list_keys(call: Call, id: Digits, page: Page) -> Paged[Key]:
    async with call.reading() as tx:
        user = await find_user(tx, id)
        return await entities.load_page(tx, user.id, page)


@get("/user/keys/:key_id", scopes=READ_USER)
async def show_own_key(call: Call, key_id: int) -> Key:
    async with call.reading() as tx:
        return entities.to_key(await find_own_key(tx, call.actor.id, key_id))


@post("/user/keys")
async def add_own_key(call: Call, change: AddKey) -> Key:
    return await _add(call, call.actor.id, change)


@post("/users/:id/keys", admin=True)
async def add_key(call: Call, id: Digits, change: AddKey) -> Key:
    return await _add(call, id, change)


async def _add(call: Call, user_id: int, change: AddKey) -> Key:
    async with call.transaction() as tx:
        user = await find_person(tx, user_id)
        key_id = await operations.add(tx, call.actor, user.id, change)
        return entities.to_key(await find_own_key(tx, user.id, key_id))


@delete("/user/keys/:key_id")
async def delete_own_key(call: Call, key_id: int) -> None:
    async with call.transaction() as tx:
        key = await find_own_key(tx, call.actor.id, key_id)
        call.unless_modified(key.updated_at)
        await operations.remove(tx, call.actor, key)


@delete("/users/:id/keys/:key_id", admin=True)
async def delete_key(call: Call, id: Digits, key_id: int) -> None:
    async with call.transaction() as tx:
        user = await find_person(tx, id)
        key = await find_own_key(tx, user.id, key_id)
        call.unless_modified(key.updated_at)
        await operations.remove(tx, call.actor, key)


@get("/keys/:id", admin=True)
async def show_key(call: Call, id: int) -> KeyWithUser:
    async with call.reading() as tx:
        return await entities.with_user(tx, call.actor, await find_any_key(tx, id))
