"""The conditions and orders of lists of deployments."""

from typing import Final

from mujina.ci.deployments.params import ListDeployments
from mujina.ci.deployments.rules import deployments_of
from mujina.kernel.db.sql.selection import Order, Selection, ascending
from mujina.kernel.lists.filters import Filters, apply_filters, compared

_FILTERS: Final[Filters] = {
    "environment": compared("en.name"),
    "status": compared("d.status"),
    "updated_after": compared("d.updated_at", ">="),
    "updated_before": compared("d.updated_at", "<="),
}
_ORDERS: Final[dict[str, Order]] = {
    "id": ascending("d.id"),
    "iid": ascending("d.iid"),
    "created_at": ascending("d.created_at", "d.id"),
    "updated_at": ascending("d.updated_at", "d.id"),
    "ref": ascending("d.ref", "d.id"),
}


def selected(project_id: int, query: ListDeployments) -> Selection:
    """The deployments of the project that match."""
    return apply_filters(deployments_of(project_id), query, _FILTERS)


def order(query: ListDeployments) -> Order:
    """The order that the query asks for."""
    return _ORDERS[query.order_by].directed(query.sort)
