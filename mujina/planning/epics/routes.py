"""Epics of groups."""

from mujina.accounts.users.entities import UserRef
from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.http.params import Ref
from mujina.kernel.http.routing import delete, get, post, put
from mujina.planning.epics import entities, filters, operations
from mujina.planning.epics.declarations.noteable import find as find_noteable
from mujina.planning.epics.entities import Epic
from mujina.planning.epics.params import CreateEpic, EditEpic, ListEpics
from mujina.planning.epics.rules import DELETE_EPIC, WRITE_EPIC, find_epic, find_epic_group
from mujina.planning.subscriptions.operations import subscribe
from mujina.planning.subscriptions.participation import participating


# Compat: the specification has `/-/` in these paths, later clients leave it out.
@get("/groups/:id/-/epics", "/groups/:id/epics")
async def list_epics(call: Call, id: Ref, query: ListEpics, page: Page) -> Paged[Epic]:
    async with call.listing(wide=query.search) as tx:
        group = await find_epic_group(tx, call.actor, id)
        selection = await filters.epics(tx, call.actor, group, query, page)
        return await entities.load_page(tx, selection, filters.order(query), page)


@get("/groups/:id/-/epics/:epic_iid", "/groups/:id/epics/:epic_iid")
async def show_epic(call: Call, id: Ref, epic_iid: int) -> Epic:
    async with call.reading() as tx:
        epic = await find_epic(tx, call.actor, id, epic_iid)
        return await entities.load_one(tx, epic.id)


@post("/groups/:id/-/epics", "/groups/:id/epics")
async def create_epic(call: Call, id: Ref, change: CreateEpic) -> Epic:
    async with call.transaction() as tx:
        group = await find_epic_group(tx, call.actor, id, to=WRITE_EPIC)
        return await entities.load_one(tx, await operations.create(tx, call.actor, group.id, change))


@put("/groups/:id/-/epics/:epic_iid", "/groups/:id/epics/:epic_iid")
async def edit_epic(call: Call, id: Ref, epic_iid: int, change: EditEpic) -> Epic:
    async with call.transaction() as tx:
        epic = await find_epic(tx, call.actor, id, epic_iid, to=WRITE_EPIC, lock=True)
        await operations.edit(tx, call.actor, epic, change)
        return await entities.load_one(tx, epic.id)


@delete("/groups/:id/-/epics/:epic_iid", "/groups/:id/epics/:epic_iid")
async def delete_epic(call: Call, id: Ref, epic_iid: int) -> None:
    async with call.transaction() as tx:
        epic = await find_epic(tx, call.actor, id, epic_iid, to=DELETE_EPIC, lock=True)
        call.unless_modified(epic.updated_at)
        await operations.remove(tx, call.actor, epic)


@post("/groups/:id/-/epics/:epic_iid/subscribe", "/groups/:id/epics/:epic_iid/subscribe")
async def subscribe_to_epic(call: Call, id: Ref, epic_iid: int) -> Epic:
    return await _subscribe(call, id, epic_iid, subscribed=True)


@post("/groups/:id/-/epics/:epic_iid/unsubscribe", "/groups/:id/epics/:epic_iid/unsubscribe")
async def unsubscribe_from_epic(call: Call, id: Ref, epic_iid: int) -> Epic:
    return await _subscribe(call, id, epic_iid, subscribed=False)


async def _subscribe(call: Call, id: Ref, iid: int, *, subscribed: bool) -> Epic:
    async with call.transaction() as tx:
        epic = await find_epic(tx, call.actor, id, iid)
        await subscribe(tx, call.actor, "epic", epic.id, subscribed=subscribed)
        return await entities.load_one(tx, epic.id)


@get("/groups/:id/-/epics/:epic_iid/participants", "/groups/:id/epics/:epic_iid/participants")
async def list_epic_participants(call: Call, id: Ref, epic_iid: int, page: Page) -> Paged[UserRef]:
    async with call.reading() as tx:
        epic = await find_noteable(tx, call.actor, id, epic_iid)
        return await participating(tx, call.actor, epic, page)
