"""Groups of LDAP directories, links to them, and the synchronization of members."""

import msgspec

from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.http.params import Ref
from mujina.kernel.http.routing import Segment, delete, get, post
from mujina.workspaces.groups.rules import ADMIN_GROUP, find_group
from mujina.workspaces.ldap_groups import entities, links, operations
from mujina.workspaces.ldap_groups.entities import LdapGroup, LdapGroupLink, OverriddenMember, SyncAccepted
from mujina.workspaces.ldap_groups.links import LinkTarget
from mujina.workspaces.ldap_groups.params import LinkGroup, ListDirectoryGroups
from mujina.workspaces.ldap_groups.rules import check_configured, find_linkable_group
from mujina.workspaces.members import entities as members
from mujina.workspaces.members.rules import Source


@get("/ldap/groups", admin=True)
async def list_ldap_groups(call: Call, query: ListDirectoryGroups, page: Page) -> Paged[LdapGroup]:
    names = await operations.list_names(call.services.settings, None, query.search or "")
    return page.cut([LdapGroup(cn) for cn in names])


@get("/ldap/:provider/groups", admin=True)
async def list_ldap_groups_of_provider(
    call: Call, provider: Segment, query: ListDirectoryGroups, page: Page
) -> Paged[LdapGroup]:
    names = await operations.list_names(call.services.settings, provider, query.search or "")
    return page.cut([LdapGroup(cn) for cn in names])


@post("/groups/:id/ldap_sync", status=202)
async def sync_ldap_group(call: Call, id: Ref) -> SyncAccepted:
    check_configured(call.services.settings)
    async with call.transaction() as tx:
        group = await find_group(tx, call.actor, id, to=ADMIN_GROUP)
        await operations.request_sync(tx, call.actor, group.id)
    return SyncAccepted()


@get("/groups/:id/ldap_group_links")
async def list_ldap_group_links(call: Call, id: Ref, page: Page) -> Paged[LdapGroupLink]:
    async with call.reading() as tx:
        group = await find_linkable_group(tx, call.services.settings, call.actor, id)
        return page.cut(await entities.links_of(tx, group.id))


@post("/groups/:id/ldap_group_links")
async def add_ldap_group_link(call: Call, id: Ref, change: LinkGroup) -> LdapGroupLink:
    async with call.transaction() as tx:
        group = await find_linkable_group(tx, call.services.settings, call.actor, id)
        await links.add(tx, call.actor, group.id, change.provider, LinkTarget(change.cn), change.group_access)
    return LdapGroupLink(change.cn, change.group_access, change.provider)


@delete("/groups/:id/ldap_group_links/:cn")
async def remove_ldap_group_link(call: Call, id: Ref, cn: Segment) -> None:
    async with call.transaction() as tx:
        group = await find_linkable_group(tx, call.services.settings, call.actor, id)
        await links.remove(tx, call.actor, group.id, LinkTarget(cn))


@delete("/groups/:id/ldap_group_links/:provider/:cn")
async def remove_ldap_group_link_of_provider(call: Call, id: Ref, provider: Segment, cn: Segment) -> None:
    async with call.transaction() as tx:
        group = await find_linkable_group(tx, call.services.settings, call.actor, id)
        await links.remove(tx, call.actor, group.id, LinkTarget(cn), provider)


@post("/groups/:id/members/:user_id/override")
async def override_member(call: Call, id: Ref, user_id: int) -> OverriddenMember:
    return await _set_override(call, id, user_id, override=True)


@delete("/groups/:id/members/:user_id/override", status=200)
async def lift_member_override(call: Call, id: Ref, user_id: int) -> OverriddenMember:
    return await _set_override(call, id, user_id, override=False)


async def _set_override(call: Call, id: Ref, user_id: int, *, override: bool) -> OverriddenMember:
    async with call.transaction() as tx:
        group = await find_linkable_group(tx, call.services.settings, call.actor, id)
        await operations.set_override(tx, call.actor, group.id, user_id, override=override)
        member = await members.load_one(tx, Source("group", group.id), user_id)
    return OverriddenMember(**msgspec.structs.asdict(member), override=override)
