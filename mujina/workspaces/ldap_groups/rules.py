"""The rules of links to groups of a directory, and of overrides of the levels that it sets."""

from mujina.instance.editions.rules import check_route, has_feature
from mujina.kernel import errors
from mujina.kernel.db.transaction import Tx
from mujina.kernel.html.pages import PageRequest
from mujina.kernel.http.params import Ref
from mujina.kernel.permissions.actor import Actor
from mujina.settings import Settings
from mujina.workspaces.groups.rules import ADMIN_GROUP, GroupRow, find_group


def check_configured(settings: Settings) -> None:
    """404, before anything is looked at, where there is no directory or the edition has no group links."""
    check_route("ldap_groups")
    if not settings.ldap:
        raise errors.not_found_with("404 Not Found")


async def find_linkable_group(tx: Tx, settings: Settings, actor: Actor, ref: Ref) -> GroupRow:
    """The group, if the actor may link it: its owners, unless the settings leave that to administrators."""
    check_route("ldap_groups")
    group = await find_group(tx, actor, ref, to=ADMIN_GROUP)
    if not may_link(settings, actor):
        raise errors.forbidden()
    return group


def may_link(settings: Settings, actor: Actor) -> bool:
    """Whether the actor may link the groups that they own."""
    return settings.allow_group_owners_to_manage_ldap or actor.admin


def are_links_offered(request: PageRequest) -> bool:
    """Whether the settings of a group that the actor owns lead to its links."""
    settings = request.services.settings
    return has_feature("ldap_groups") and bool(settings.ldap) and may_link(settings, request.actor)
