"""OpenPGP keys: the caller's own, and those of other users for administrators."""

from mujina.accounts.gpg_keys import entities, operations
from mujina.accounts.gpg_keys.entities import GpgKey
from mujina.accounts.gpg_keys.params import AddGpgKey
from mujina.accounts.gpg_keys.rules import find_gpg_key
from mujina.accounts.users.rules import find_person, find_user
from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.http.routing import Digits, delete, get, post
from mujina.kernel.permissions.scopes import READ_USER


@get("/user/gpg_keys", scopes=READ_USER)
async def list_own_gpg_keys(call: Call, page: Page) -> Paged[GpgKey]:
    async with call.reading() as tx:
        return await entities.load_page(tx, call.actor.id, page)


@get("/user/gpg_keys/:key_id", scopes=READ_USER)
async def show_own_gpg_key(call: Call, key_id: int) -> GpgKey:
    async with call.reading() as tx:
        return entities.to_gpg_key(await find_gpg_key(tx, call.actor.id, key_id))


@post("/user/gpg_keys")
async def add_own_gpg_key(call: Call, change: AddGpgKey) -> GpgKey:
    return await _add(call, call.actor.id, change)


@post("/user/gpg_keys/:key_id/revoke", status=202)
async def revoke_own_gpg_key(call: Call, key_id: int) -> None:
    async with call.transaction() as tx:
        key = await find_gpg_key(tx, call.actor.id, key_id)
        await operations.remove(tx, call.actor, key, revoked=True)


@delete("/user/gpg_keys/:key_id")
async def delete_own_gpg_key(call: Call, key_id: int) -> None:
    async with call.transaction() as tx:
        key = await find_gpg_key(tx, call.actor.id, key_id)
        await operations.remove(tx, call.actor, key, revoked=False)


@get("/users/:id/gpg_keys", scopes=READ_USER, admin=True)
async def list_gpg_keys(call: Call, id: Digits, page: Page) -> Paged[GpgKey]:
    async with call.reading() as tx:
        user = await find_user(tx, id)
        return await entities.load_page(tx, user.id, page)


@get("/users/:id/gpg_keys/:key_id", scopes=READ_USER, admin=True)
async def show_gpg_key(call: Call, id: Digits, key_id: int) -> GpgKey:
    async with call.reading() as tx:
        user = await find_user(tx, id)
        return entities.to_gpg_key(await find_gpg_key(tx, user.id, key_id))


@post("/users/:id/gpg_keys", admin=True)
async def add_gpg_key(call: Call, id: Digits, change: AddGpgKey) -> GpgKey:
    return await _add(call, id, change)


async def _add(call: Call, user_id: int, change: AddGpgKey) -> GpgKey:
    key = await operations.parse(change.key)
    async with call.transaction() as tx:
        user = await find_person(tx, user_id)
        key_id = await operations.add(tx, call.actor, user.id, key)
        return entities.to_gpg_key(await find_gpg_key(tx, user.id, key_id))


@post("/users/:id/gpg_keys/:key_id/revoke", status=202, admin=True)
async def revoke_gpg_key(call: Call, id: Digits, key_id: int) -> None:
    async with call.transaction() as tx:
        user = await find_person(tx, id)
        key = await find_gpg_key(tx, user.id, key_id)
        await operations.remove(tx, call.actor, key, revoked=True)


@delete("/users/:id/gpg_keys/:key_id", admin=True)
async def delete_gpg_key(call: Call, id: Digits, key_id: int) -> None:
    async with call.transaction() as tx:
        user = await find_person(tx, id)
        key = await find_gpg_key(tx, user.id, key_id)
        await operations.remove(tx, call.actor, key, revoked=False)
