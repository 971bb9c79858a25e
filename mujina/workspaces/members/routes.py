"""Members of groups and projects, and those who ask to be: what holds for the one holds for the other."""

from mujina.kernel.http import Call, Json
from mujina.kernel.paging import Page
from mujina.kernel.params import Ref
from mujina.kernel.routing import delete, get, post, put
from mujina.workspaces.members import entities, filters, operations, requests
from mujina.workspaces.members.params import AddMember, ApproveRequest, EditMember, ListMembers
from mujina.workspaces.members.rules import CHOOSE_MEMBERS, SEE_MEMBERS, find_member, find_request, find_source


@get("/groups/:id/members", "/projects/:id/members")
async def list_members(call: Call, id: Ref, query: ListMembers, page: Page) -> Json:
    async with call.reading() as tx:
        source = await find_source(tx, call.actor, call.route, id, to=SEE_MEMBERS)
        chosen = filters.direct_members(source, query)
        return page.of(await entities.listed(tx, chosen, page), await chosen.total(tx))


@get("/groups/:id/members/all", "/projects/:id/members/all")
async def list_all_members(call: Call, id: Ref, query: ListMembers, page: Page) -> Json:
    async with call.reading() as tx:
        source = await find_source(tx, call.actor, call.route, id, to=SEE_MEMBERS)
        chosen = filters.all_members(source, query)
        return page.of(await entities.listed(tx, chosen, page), await chosen.total(tx))


@get("/groups/:id/members/all/:user_id", "/projects/:id/members/all/:user_id")
async def show_one_of_all_members(call: Call, id: Ref, user_id: int) -> Json:
    async with call.reading() as tx:
        source = await find_source(tx, call.actor, call.route, id, to=SEE_MEMBERS)
        return await entities.one_of(tx, filters.all_members(source, ListMembers()), user_id)


@get("/groups/:id/members/:user_id", "/projects/:id/members/:user_id")
async def show_member(call: Call, id: Ref, user_id: int) -> Json:
    async with call.reading() as tx:
        source = await find_source(tx, call.actor, call.route, id, to=SEE_MEMBERS)
        await find_member(tx, source, user_id)
        return await entities.single(tx, source, user_id)


@post("/groups/:id/members", "/projects/:id/members")
async def add_member(call: Call, id: Ref, change: AddMember) -> Json:
    async with call.transaction() as tx:
        source = await find_source(tx, call.actor, call.route, id, to=CHOOSE_MEMBERS)
        await operations.add(tx, call.actor, source, change.user_id, change.access_level, change.expires_at or None)
        return await entities.single(tx, source, change.user_id)


@put("/groups/:id/members/:user_id", "/projects/:id/members/:user_id")
async def edit_member(call: Call, id: Ref, user_id: int, change: EditMember) -> Json:
    async with call.transaction() as tx:
        source = await find_source(tx, call.actor, call.route, id, to=CHOOSE_MEMBERS)
        member = await find_member(tx, source, user_id)
        await operations.edit(tx, call.actor, source, member, change.access_level, change.expires_at)
        return await entities.single(tx, source, user_id)


@delete("/groups/:id/members/:user_id", "/projects/:id/members/:user_id")
async def remove_member(call: Call, id: Ref, user_id: int) -> Json:
    """Everybody may leave; others are removed by those who choose members."""
    async with call.transaction() as tx:
        right = SEE_MEMBERS if user_id == call.actor.id else CHOOSE_MEMBERS
        source = await find_source(tx, call.actor, call.route, id, to=right)
        member = await find_member(tx, source, user_id)
        call.unless_modified(member.updated_at)
        await operations.remove(tx, call.actor, source, user_id)


@get("/groups/:id/access_requests", "/projects/:id/access_requests")
async def list_access_requests(call: Call, id: Ref, page: Page) -> Json:
    async with call.reading() as tx:
        source = await find_source(tx, call.actor, call.route, id, to=CHOOSE_MEMBERS)
        chosen = filters.requesters(source)
        return page.of(await entities.requests(tx, chosen, page), await chosen.total(tx))


@post("/groups/:id/access_requests", "/projects/:id/access_requests")
async def request_access(call: Call, id: Ref) -> Json:
    async with call.transaction() as tx:
        source = await find_source(tx, call.actor, call.route, id, to=SEE_MEMBERS)
        await requests.ask(tx, call.actor, source)
        return await entities.request(tx, source, call.actor.id)


@put("/groups/:id/access_requests/:user_id/approve", "/projects/:id/access_requests/:user_id/approve", status=201)
async def approve_access_request(call: Call, id: Ref, user_id: int, change: ApproveRequest) -> Json:
    async with call.transaction() as tx:
        source = await find_source(tx, call.actor, call.route, id, to=CHOOSE_MEMBERS)
        await find_request(tx, source, user_id)
        await requests.approve(tx, call.actor, source, user_id, change.access_level)
        return await entities.single(tx, source, user_id)


@delete("/groups/:id/access_requests/:user_id", "/projects/:id/access_requests/:user_id")
async def withdraw_access_request(call: Call, id: Ref, user_id: int) -> Json:
    """Everybody may take their own request back; those who choose members deny it."""
    async with call.transaction() as tx:
        right = SEE_MEMBERS if user_id == call.actor.id else CHOOSE_MEMBERS
        source = await find_source(tx, call.actor, call.route, id, to=right)
        call.unless_modified(await find_request(tx, source, user_id))
        await requests.withdraw(tx, call.actor, source, user_id)
