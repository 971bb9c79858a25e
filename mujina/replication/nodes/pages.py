"""Replication nodes, as administrators see and configure them."""

from mujina.kernel.html.pages import HtmlPage, PageRequest, Redirect, form, view
from mujina.replication.nodes import entities, operations
from mujina.replication.nodes.params import EditNode
from mujina.replication.nodes.rules import find_node

PAGE = "/admin/geo_nodes"


@view(f"{PAGE}/{{id:int}}/edit", admin=True)
async def show_edit_node(request: PageRequest, id: int) -> HtmlPage:
    async with request.reading() as tx:
        node = entities.to_node(await find_node(tx, id), request.services.node_id)
    return HtmlPage("administration/geo_node.html", {"node": node})


@form(f"{PAGE}/{{id:int}}", admin=True, again=f"{PAGE}/{{id:int}}/edit")
async def edit_node(request: PageRequest, id: int) -> Redirect:
    change = request.read_form(EditNode, "geo_node")
    async with request.transaction() as tx:
        await operations.edit(tx, request.actor, await find_node(tx, id), change)
    return Redirect(PAGE, flash="Node saved.")


@form(f"{PAGE}/{{id:int}}/repair", admin=True, again=PAGE)
async def repair_node(request: PageRequest, id: int) -> Redirect:
    async with request.transaction() as tx:
        await operations.repair(tx, request.actor, await find_node(tx, id))
    return Redirect(PAGE, flash="The application of the node is registered.")
