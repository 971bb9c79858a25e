"""Lists of one's own work as conditions."""

from typing import Literal

from mujina.activity.dashboard.params import FilterProjects
from mujina.kernel.http.params import UNSET
from mujina.workspaces.projects.params import ListProjects

_ORDERS: dict[str, tuple[Literal["name", "created_at", "last_activity_at"], Literal["asc", "desc"]]] = {
    "name": ("name", "asc"),
    "newest": ("created_at", "desc"),
    "oldest": ("created_at", "asc"),
}


def projects(query: FilterProjects, *, membership: bool = False, starred: bool = False) -> ListProjects:
    """The list of the API that a page shows: those last active first, unless another order is chosen."""
    order_by, sort = _ORDERS.get(query.order or "", ("last_activity_at", "desc"))
    return ListProjects(
        membership=membership or UNSET,
        starred=starred or UNSET,
        search=query.search or UNSET,
        order_by=order_by,
        sort=sort,
    )
