"""Links from a group to groups of LDAP directories, and roles that differ from what they say."""

from mujina.kernel.html.pages import HtmlPage, PageRequest, Redirect, form, view
from mujina.kernel.http.params import Params, Ref
from mujina.workspaces.groups.rules import ADMIN_GROUP, GroupRow, find_group
from mujina.workspaces.ldap_groups import entities, links, operations
from mujina.workspaces.ldap_groups.links import LinkTarget
from mujina.workspaces.ldap_groups.params import LinkGroupOrPeople
from mujina.workspaces.ldap_groups.rules import check_configured, find_linkable_group

_HERE = "/groups/{group}/-/ldap_group_links"
_MEMBERS = "/groups/{group}/-/group_members"


class UnlinkGroup(Params):
    provider: str
    cn: str = ""
    filter: str = ""


@view(_HERE, to=ADMIN_GROUP, anonymous=False)
async def show_ldap_links(request: PageRequest, group: GroupRow) -> HtmlPage:
    settings = request.services.settings
    async with request.reading() as tx:
        await find_linkable_group(tx, settings, request.actor, Ref.of(group.id))
        found = await entities.links_of(tx, group.id)
    providers = [(each.provider, each.label) for each in settings.ldap]
    return HtmlPage("workspaces/ldap_links.html", {"links": found, "providers": providers, "root": _root(request)})


@form(_HERE, to=ADMIN_GROUP)
async def add_ldap_link(request: PageRequest, group: GroupRow, change: LinkGroupOrPeople) -> Redirect:
    target = LinkTarget(change.cn.strip(), change.filter.strip())
    async with request.transaction() as tx:
        await find_linkable_group(tx, request.services.settings, request.actor, Ref.of(group.id))
        await links.add(tx, request.actor, group.id, change.provider, target, change.group_access)
    return Redirect(_root(request), flash="Link added.")


@form(_HERE + "/remove", to=ADMIN_GROUP, again=_HERE)
async def remove_ldap_link(request: PageRequest, group: GroupRow, change: UnlinkGroup) -> Redirect:
    async with request.transaction() as tx:
        await find_linkable_group(tx, request.services.settings, request.actor, Ref.of(group.id))
        await links.remove(tx, request.actor, group.id, LinkTarget(change.cn, change.filter), change.provider)
    return Redirect(_root(request), flash="Link removed.")


@form(_HERE + "/sync", to=ADMIN_GROUP, again=_HERE)
async def sync_ldap_links(request: PageRequest, group: GroupRow) -> Redirect:
    check_configured(request.services.settings)
    async with request.transaction() as tx:
        found = await find_group(tx, request.actor, Ref.of(group.id), to=ADMIN_GROUP)
        await operations.request_sync(tx, request.actor, found.id)
    return Redirect(_root(request), flash="The members are synchronized soon.")


@form(f"{_MEMBERS}/{{user_id:int}}/override", to=ADMIN_GROUP, again=_MEMBERS)
async def override_role(request: PageRequest, group: GroupRow, user_id: int) -> Redirect:
    return await _set_override(request, group, user_id, override=True)


@form(f"{_MEMBERS}/{{user_id:int}}/lift_override", to=ADMIN_GROUP, again=_MEMBERS)
async def lift_override(request: PageRequest, group: GroupRow, user_id: int) -> Redirect:
    return await _set_override(request, group, user_id, override=False)


async def _set_override(request: PageRequest, group: GroupRow, user_id: int, *, override: bool) -> Redirect:
    async with request.transaction() as tx:
        await find_linkable_group(tx, request.services.settings, request.actor, Ref.of(group.id))
        await operations.set_override(tx, request.actor, group.id, user_id, override=override)
    sentence = "The role stays as it is." if override else "The directory decides about the role again."
    return Redirect(f"{request.here}/group_members", flash=sentence)


def _root(request: PageRequest) -> str:
    return f"{request.here}/ldap_group_links"
