"""Replication nodes, for administrators."""

from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.http.routing import get, post, put
from mujina.replication.nodes import entities, operations
from mujina.replication.nodes.entities import Node
from mujina.replication.nodes.params import EditNode
from mujina.replication.nodes.rules import find_node, list_nodes


@get("/geo_nodes", admin=True)
async def list_geo_nodes(call: Call, page: Page) -> Paged[Node]:
    async with call.reading() as tx:
        nodes = await list_nodes(tx)
    return page.cut([entities.to_node(node, call.services.node_id) for node in nodes])


@get("/geo_nodes/:id", admin=True)
async def show_geo_node(call: Call, id: int) -> Node:
    async with call.reading() as tx:
        return entities.to_node(await find_node(tx, id), call.services.node_id)


@put("/geo_nodes/:id", admin=True)
async def edit_geo_node(call: Call, id: int, change: EditNode) -> Node:
    async with call.transaction() as tx:
        await operations.edit(tx, call.actor, await find_node(tx, id), change)
        return entities.to_node(await find_node(tx, id), call.services.node_id)


# Compat: clients repair a node by POST as well.
@post("/geo_nodes/:id/repair", admin=True, status=200)
async def repair_geo_node_by_post(call: Call, id: int) -> Node:
    """Restore the OAuth application by which users sign in to the node."""
    return await _repair(call, id)


@put("/geo_nodes/:id/repair", admin=True)
async def repair_geo_node(call: Call, id: int) -> Node:
    """Restore the OAuth application by which users sign in to the node."""
    return await _repair(call, id)


async def _repair(call: Call, id: int) -> Node:
    async with call.transaction() as tx:
        await operations.repair(tx, call.actor, await find_node(tx, id))
        return entities.to_node(await find_node(tx, id), call.services.node_id)
