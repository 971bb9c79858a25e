"""Groups."""

from mujina.accounts.users.profile.avatars import staged_avatar
from mujina.instance.custom_attributes.entities import show_attributes
from mujina.kernel.db.sql.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.http.params import Ref
from mujina.kernel.http.routing import delete, get, post, put
from mujina.kernel.lists.keyset import load_following
from mujina.kernel.permissions.actor import Actor
from mujina.workspaces.groups import avatars, entities, filters, operations, transfer
from mujina.workspaces.groups.entities import Group, GroupDetail, TransferLocation
from mujina.workspaces.groups.params import (
    CreateGroup,
    EditGroup,
    ListGroups,
    SearchLocations,
    ShareGroup,
    ShowGroup,
    TransferGroup,
)
from mujina.workspaces.groups.rules import ADMIN_GROUP, find_group
from mujina.workspaces.ldap_groups.operations import link_first
from mujina.workspaces.members.granting import sharing
from mujina.workspaces.owners.rules import ADMIN_OWNER, Owner, find_owner
from mujina.workspaces.projects import entities as projects
from mujina.workspaces.projects import filters as project_filters
from mujina.workspaces.projects import transfer as project_transfer
from mujina.workspaces.projects.entities import Project
from mujina.workspaces.projects.params import ListGroupProjects
from mujina.workspaces.projects.views.basics import SimpleProject


@get("/groups", anonymous=True)
async def list_groups(call: Call, query: ListGroups, page: Page) -> Paged[Group]:
    async with call.listing(wide=query.search) as tx:
        selection = await filters.listed_groups(tx, call.actor, query)
        return await _page(tx, call.actor, selection, query, page)


async def _page(tx: Tx, actor: Actor, selection: Selection, query: ListGroups, page: Page) -> Paged[Group]:
    statistics, order = bool(query.statistics) and actor.admin, filters.order(query)
    if query.pagination != "keyset":
        groups = await entities.load_page(tx, selection, order, page, statistics=statistics)
    else:
        groups = await load_following(
            tx, selection, order, page, query.cursor,
            lambda rows, page: entities.load_page(tx, rows, order, page, statistics=statistics),
        )  # fmt: skip
    if query.with_custom_attributes:
        await show_attributes(tx, actor, "group", groups.items)
    return groups


@get("/groups/:id/subgroups", anonymous=True)
async def list_subgroups(call: Call, id: Ref, query: ListGroups, page: Page) -> Paged[Group]:
    async with call.reading() as tx:
        group = await find_group(tx, call.actor, id)
        selection = filters.subgroups(call.actor, group, query)
        return await _page(tx, call.actor, selection, query, page)


@get("/groups/:id/descendant_groups", anonymous=True)
async def list_descendant_groups(call: Call, id: Ref, query: ListGroups, page: Page) -> Paged[Group]:
    """List the groups below a group, at any depth."""
    async with call.reading() as tx:
        group = await find_group(tx, call.actor, id)
        selection = filters.descendants(call.actor, group, query)
        return await _page(tx, call.actor, selection, query, page)


@get("/groups/:id/projects", anonymous=True)
async def list_group_projects(
    call: Call, id: Ref, query: ListGroupProjects, page: Page
) -> Paged[Project | SimpleProject]:
    async with call.reading() as tx:
        group = await find_group(tx, call.actor, id)
        shared = query.with_shared is not False
        selection = filters.all_projects(call.actor, group, shared=shared, below=bool(query.include_subgroups))
        selection = project_filters.apply_filters(selection, call.actor, query)
        order, simple = project_filters.order(query), bool(query.simple)
        return await projects.load_page(
            tx, call.services.vault, call.actor, selection, order, page, simple=simple, permissions=False, encoded=True,
            attributes=bool(query.with_custom_attributes),
        )  # fmt: skip


@get("/groups/:id", anonymous=True)
async def show_group(call: Call, id: Ref, query: ShowGroup) -> GroupDetail:
    async with call.reading() as tx:
        group = await find_group(tx, call.actor, id)
        shown = await entities.load_one(tx, call.services.vault, call.actor, group)
        if query.with_custom_attributes:
            await show_attributes(tx, call.actor, "group", [shown])
        return shown


@post("/groups")
async def create_group(call: Call, change: CreateGroup) -> GroupDetail:
    async with staged_avatar(call.services.files, change.avatar, "group") as avatar, call.transaction() as tx:
        group_id = await operations.create(tx, call.actor, change)
        await avatars.put(tx, group_id, avatar)
        if change.ldap_cn and change.ldap_access:
            await link_first(tx, call.services.settings, call.actor, group_id, change.ldap_cn, change.ldap_access)
        group = await find_group(tx, call.actor, Ref.of(group_id))
        return await entities.load_one(tx, call.services.vault, call.actor, group)


@post("/groups/:id/projects/:project_id", admin=True)
async def transfer_project(call: Call, id: Ref, project_id: Ref) -> GroupDetail:
    """Transfer a project into a group."""
    async with call.transaction() as tx:
        project, group = await project_transfer.find_transfer(tx, call.actor, project_id, id)
        await project_transfer.transfer(tx, call.actor, project, group)
        return await entities.load_one(tx, call.services.vault, call.actor, group)


@post("/groups/:id/transfer")
async def transfer_group(call: Call, id: Ref, change: TransferGroup) -> GroupDetail:
    """Transfer a group into another group, or to the top level."""
    target = Ref.of(change.group_id) if change.group_id else None
    async with call.transaction() as tx:
        group, parent = await transfer.find_group_transfer(tx, call.actor, id, target)
        await transfer.transfer_group(tx, call.actor, group, parent)
        # One who owned it through the former parent alone may no longer read it: the answer is the last that they see.
        return await entities.load_one(tx, call.services.vault, call.actor, group)


@get("/groups/:id/transfer_locations")
async def list_group_locations(call: Call, id: Ref, query: SearchLocations, page: Page) -> Paged[TransferLocation]:
    """List the groups into which a group may be transferred."""
    async with call.reading() as tx:
        group = await find_group(tx, call.actor, id, to=ADMIN_GROUP)
        return await entities.locations(tx, filters.group_locations(call.actor, query.search or "", group), page)


@post("/groups/:id/share")
async def share_group(call: Call, id: Ref, change: ShareGroup) -> GroupDetail:
    """Share a group with a group: its members get access to everything in it, up to the level."""
    async with call.transaction() as tx:
        shared = await find_group(tx, call.actor, id, to=ADMIN_GROUP, lock=True)
        group = await find_group(tx, call.actor, Ref.of(change.group_id))
        owner, expires_on = Owner("group", shared.id, shared.id), change.expires_at or None
        await sharing.share(tx, call.actor, owner, group.id, change.group_access, expires_on)
        return await entities.load_one(tx, call.services.vault, call.actor, shared)


@delete("/groups/:id/share/:group_id")
async def unshare_group(call: Call, id: Ref, group_id: int) -> None:
    async with call.transaction() as tx:
        shared = await find_owner(tx, call.actor, "group", id, to=ADMIN_OWNER)
        call.unless_modified(await sharing.shared_at(tx, shared, group_id))
        await sharing.unshare(tx, call.actor, shared, group_id)


@put("/groups/:id")
async def edit_group(call: Call, id: Ref, change: EditGroup) -> GroupDetail:
    async with staged_avatar(call.services.files, change.avatar, "group") as avatar, call.transaction() as tx:
        group = await find_group(tx, call.actor, id, to=ADMIN_GROUP, lock=True)
        await operations.edit(tx, call.actor, group, change)
        await avatars.put(tx, group.id, avatar)
        return await entities.load_one(tx, call.services.vault, call.actor, group)


@delete("/groups/:id")
async def delete_group(call: Call, id: Ref) -> None:
    async with call.transaction() as tx:
        group = await find_group(tx, call.actor, id, to=ADMIN_GROUP, lock=True)
        call.unless_modified(group.updated_at)
        await operations.remove(tx, call.actor, group)
