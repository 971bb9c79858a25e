"""The status of replication nodes, for administrators."""

from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.http.routing import get
from mujina.replication.nodes.rules import find_node
from mujina.replication.statuses.entities import NodeStatus, shown_status
from mujina.replication.statuses.measuring import measured, read_statuses
from mujina.replication.statuses.rules import find_status


@get("/geo_nodes/status", admin=True)
async def list_geo_node_statuses(call: Call, page: Page) -> Paged[NodeStatus]:
    """The status of each node that has reported one, and of this one."""
    nodes, stored = await read_statuses(call.services)
    return page.cut([shown_status(node, stored[node.id], with_wikis=True) for node in nodes if node.id in stored])


@get("/geo_nodes/:id/status", admin=True)
async def show_geo_node_status(call: Call, id: int) -> NodeStatus:
    async with call.reading() as tx:
        node = await find_node(tx, id)
    status = await measured(call.services, node)
    if status is None:
        async with call.reading() as tx:
            status = await find_status(tx, id)
    return shown_status(node, status, with_wikis=False)
