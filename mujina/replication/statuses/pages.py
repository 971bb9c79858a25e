"""The status of replication nodes, for administrators."""

from mujina.kernel.html.pages import HtmlPage, PageRequest, view
from mujina.kernel.http.paging import Page
from mujina.replication.nodes import entities as nodes
from mujina.replication.registry.entities import list_failures
from mujina.replication.statuses.entities import shown_status
from mujina.replication.statuses.measuring import read_statuses


@view("/admin/geo_nodes", admin=True)
async def show_nodes(request: PageRequest, page: Page) -> HtmlPage:
    services = request.services
    rows, stored = await read_statuses(services)
    statuses = {node.id: shown_status(node, stored[node.id], with_wikis=True) for node in rows if node.id in stored}
    failures = None
    if services.registry is not None:
        async with services.registry.reading() as tx:
            failures = await list_failures(tx, page, None)
    context = {"nodes": [nodes.to_node(node, services.node_id) for node in rows], "statuses": statuses}
    return HtmlPage("administration/geo_nodes.html", {**context, "failures": failures})
