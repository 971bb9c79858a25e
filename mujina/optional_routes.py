"""The routes that an edition may lack, in one table: they are refused before their parameters are read."""

from collections.abc import Mapping
from typing import Final

from mujina.instance.editions.rules import Feature, check_route, has_feature
from mujina.kernel.http import Call, RouteCheck
from mujina.kernel.params import Ref
from mujina.planning.epics.rules import find_epic_group


async def _check_epics(call: Call, group: Ref) -> None:
    """404 for a group that the actor may not read, 403 for others."""
    if not has_feature("epics"):
        async with call.reading() as tx:
            await find_epic_group(tx, call.actor, group)


def _absent_without(feature: Feature) -> RouteCheck:
    """404 for everyone."""

    async def check(_call: Call, _ref: Ref) -> None:
        check_route(feature)

    return check


OPTIONAL_ROUTES: Final[Mapping[str, RouteCheck]] = {
    "/groups/:id/-/epics": _check_epics,
    "/groups/:id/epics": _check_epics,
    "/projects/:id/push_rule": _absent_without("push_rules"),
    "/groups/:id/ldap_": _absent_without("ldap_groups"),
    "/groups/:id/members/:user_id/override": _absent_without("ldap_groups"),
}
"""What each path begins with, and the check of its calls."""
