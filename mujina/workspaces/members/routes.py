"""Members of groups and projects, and requests for access: the same for both."""

from mujina.accounts.users.rules import find_user, find_user_named
from mujina.kernel import errors
from mujina.kernel.html.owners import OwnerKind
from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.http.params import Ref
from mujina.kernel.http.routing import Digits, delete, get, post, put
from mujina.workspaces.invitations.entities import SentInvitations
from mujina.workspaces.invitations.operations import invite_all
from mujina.workspaces.members import entities, filters, operations
from mujina.workspaces.members.entities import AccessRequest, Member, Membership
from mujina.workspaces.members.granting import requests
from mujina.workspaces.members.lists import listing as lists
from mujina.workspaces.members.params import AddMember, ApproveRequest, EditMember, ListMembers, ListMemberships
from mujina.workspaces.members.rules import (
    CHOOSE_MEMBERS,
    SEE_MEMBERS,
    find_member,
    find_request,
    find_searched_source,
    find_source,
)


@get(group="/groups/:id/members", project="/projects/:id/members")
async def list_members(call: Call, kind: OwnerKind, id: Ref, query: ListMembers, page: Page) -> Paged[Member]:
    async with call.reading() as tx:
        source, chooses = await find_searched_source(tx, call.actor, kind, id)
        return await lists.load_page(tx, source, query, page, by_address=chooses)


@get(group="/groups/:id/members/all", project="/projects/:id/members/all")
async def list_all_members(call: Call, kind: OwnerKind, id: Ref, query: ListMembers, page: Page) -> Paged[Member]:
    """List the members, direct and inherited from the groups above."""
    async with call.reading() as tx:
        source, chooses = await find_searched_source(tx, call.actor, kind, id)
        return await lists.load_page_with_inherited(tx, source, query, page, by_address=chooses)


@get(group="/groups/:id/members/all/:user_id", project="/projects/:id/members/all/:user_id")
async def show_one_of_all_members(call: Call, kind: OwnerKind, id: Ref, user_id: int) -> Member:
    """Show a member, direct or inherited from a group above."""
    async with call.reading() as tx:
        source = await find_source(tx, call.actor, kind, id, to=SEE_MEMBERS)
        return await entities.one_of(tx, filters.all_members(source, ListMembers()), user_id)


@get(group="/groups/:id/members/:user_id", project="/projects/:id/members/:user_id")
async def show_member(call: Call, kind: OwnerKind, id: Ref, user_id: int) -> Member:
    async with call.reading() as tx:
        source = await find_source(tx, call.actor, kind, id, to=SEE_MEMBERS)
        await find_member(tx, source, user_id)
        return await entities.load_one(tx, source, user_id)


@post(group="/groups/:id/members", project="/projects/:id/members")
async def add_member(call: Call, kind: OwnerKind, id: Ref, change: AddMember) -> Member | SentInvitations:
    """Add a member. Of several users those who can become members do, and the response has the reasons of the others."""
    user_ids, expires_on = change.user_id or [], change.expires_at or None
    if not user_ids and not change.username:
        raise errors.missing("user_id")
    async with call.transaction() as tx:
        source = await find_source(tx, call.actor, kind, id, to=CHOOSE_MEMBERS)
        if len(user_ids) > 1:
            refused = await invite_all(tx, call.actor, source, [], user_ids, change.access_level, expires_on)
            return SentInvitations(status="error" if refused else "success", message=refused)
        user_id = user_ids[0] if user_ids else (await find_user_named(tx, change.username or "")).id
        await operations.add(tx, call.actor, source, user_id, change.access_level, expires_on)
        return await entities.load_one(tx, source, user_id)


@put(group="/groups/:id/members/:user_id", project="/projects/:id/members/:user_id")
async def edit_member(call: Call, kind: OwnerKind, id: Ref, user_id: int, change: EditMember) -> Member:
    async with call.transaction() as tx:
        source = await find_source(tx, call.actor, kind, id, to=CHOOSE_MEMBERS)
        member = await find_member(tx, source, user_id)
        await operations.edit(tx, call.actor, source, member, change.access_level, change.expires_at)
        return await entities.load_one(tx, source, user_id)


@delete(group="/groups/:id/members/:user_id", project="/projects/:id/members/:user_id")
async def remove_member(call: Call, kind: OwnerKind, id: Ref, user_id: int) -> None:
    """Members may leave; those who choose members remove others."""
    async with call.transaction() as tx:
        right = SEE_MEMBERS if user_id == call.actor.id else CHOOSE_MEMBERS
        source = await find_source(tx, call.actor, kind, id, to=right)
        member = await find_member(tx, source, user_id)
        call.unless_modified(member.updated_at)
        await operations.check_not_synced(tx, call.actor, source, member)
        await operations.remove(tx, call.actor, source, user_id)


@get("/users/:id/memberships", admin=True)
async def list_memberships(call: Call, id: Digits, query: ListMemberships, page: Page) -> Paged[Membership]:
    """List the projects and groups of which a user is a direct member."""
    async with call.reading() as tx:
        user = await find_user(tx, id)
        return await entities.memberships(tx, user.id, query.type or "", page)


@get(group="/groups/:id/access_requests", project="/projects/:id/access_requests")
async def list_access_requests(call: Call, kind: OwnerKind, id: Ref, page: Page) -> Paged[AccessRequest]:
    async with call.reading() as tx:
        source = await find_source(tx, call.actor, kind, id, to=CHOOSE_MEMBERS)
        return await entities.requests(tx, filters.requesters(source), page)


@post(group="/groups/:id/access_requests", project="/projects/:id/access_requests")
async def request_access(call: Call, kind: OwnerKind, id: Ref) -> AccessRequest:
    """Request access to a project or group."""
    async with call.transaction() as tx:
        source = await find_source(tx, call.actor, kind, id, to=SEE_MEMBERS)
        await requests.create(tx, call.actor, source)
        return await entities.request(tx, source, call.actor.id)


@put(
    group="/groups/:id/access_requests/:user_id/approve",
    project="/projects/:id/access_requests/:user_id/approve",
    status=201,
)
async def approve_access_request(call: Call, kind: OwnerKind, id: Ref, user_id: int, change: ApproveRequest) -> Member:
    async with call.transaction() as tx:
        source = await find_source(tx, call.actor, kind, id, to=CHOOSE_MEMBERS)
        await find_request(tx, source, user_id)
        await requests.approve(tx, call.actor, source, user_id, change.access_level)
        return await entities.load_one(tx, source, user_id)


@delete(group="/groups/:id/access_requests/:user_id", project="/projects/:id/access_requests/:user_id")
async def withdraw_access_request(call: Call, kind: OwnerKind, id: Ref, user_id: int) -> None:
    """Users may withdraw their own request; those who choose members deny it."""
    async with call.transaction() as tx:
        right = SEE_MEMBERS if user_id == call.actor.id else CHOOSE_MEMBERS
        source = await find_source(tx, call.actor, kind, id, to=right)
        call.unless_modified(await find_request(tx, source, user_id))
        await requests.withdraw(tx, call.actor, source, user_id)
