"""Broadcast messages, for administrators."""

from mujina.instance.broadcast_messages import entities, operations
from mujina.instance.broadcast_messages.params import CreateBroadcast, EditBroadcast
from mujina.instance.broadcast_messages.rules import Broadcast, find_broadcast
from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.http.routing import delete, get, post, put


@get("/broadcast_messages", admin=True)
async def list_broadcast_messages(call: Call, page: Page) -> Paged[Broadcast]:
    async with call.reading() as tx:
        return await entities.load_page(tx, page)


@get("/broadcast_messages/:id", admin=True)
async def show_broadcast_message(call: Call, id: int) -> Broadcast:
    async with call.reading() as tx:
        return entities.to_broadcast(await find_broadcast(tx, id))


@post("/broadcast_messages", admin=True)
async def create_broadcast_message(call: Call, change: CreateBroadcast) -> Broadcast:
    async with call.transaction() as tx:
        broadcast_id = await operations.create(tx, call.actor, change)
        return entities.to_broadcast(await find_broadcast(tx, broadcast_id))


@put("/broadcast_messages/:id", admin=True)
async def edit_broadcast_message(call: Call, id: int, change: EditBroadcast) -> Broadcast:
    async with call.transaction() as tx:
        await operations.edit(tx, call.actor, await find_broadcast(tx, id), change)
        return entities.to_broadcast(await find_broadcast(tx, id))


@delete("/broadcast_messages/:id", admin=True)
async def delete_broadcast_message(call: Call, id: int) -> None:
    async with call.transaction() as tx:
        broadcast = await find_broadcast(tx, id)
        call.unless_modified(broadcast.updated_at)
        await operations.remove(tx, call.actor, broadcast)
