"""Namespaces."""

from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.http.params import Ref
from mujina.kernel.http.routing import Segment, get, put
from mujina.workspaces.namespaces import entities, filters, operations
from mujina.workspaces.namespaces.entities import Namespace, NamespaceCheck
from mujina.workspaces.namespaces.params import CheckNamespace, EditNamespace, ListNamespaces
from mujina.workspaces.namespaces.rules import find_namespace


@get("/namespaces")
async def list_namespaces(call: Call, query: ListNamespaces, page: Page) -> Paged[Namespace]:
    async with call.listing(wide=query.search) as tx:
        selection = filters.namespaces(call.actor, query)
        return await entities.load_page(tx, call.actor, selection, page)


@get("/namespaces/:id")
async def show_namespace(call: Call, id: Ref) -> Namespace:
    async with call.reading() as tx:
        return await entities.load_one(tx, call.actor, await find_namespace(tx, call.actor, id))


@get("/namespaces/:id/exists")
async def check_namespace(call: Call, id: Segment, query: CheckNamespace) -> NamespaceCheck:
    """Say whether a path is taken, and which one is free instead."""
    async with call.reading() as tx:
        return await entities.check(tx, call.actor, id, query.parent_id or None)


@put("/namespaces/:id", admin=True)
async def edit_namespace(call: Call, id: Ref, change: EditNamespace) -> Namespace:
    async with call.transaction() as tx:
        namespace_id = await find_namespace(tx, call.actor, id)
        await operations.edit(tx, call.actor, namespace_id, change)
        return await entities.load_one(tx, call.actor, namespace_id)
