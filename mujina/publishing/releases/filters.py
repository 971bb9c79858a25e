"""The conditions and orders of lists of releases."""

from typing import Final

from mujina.kernel.db.sql.selection import Order, Selection, ascending
from mujina.kernel.lists import filters
from mujina.kernel.lists.filters import Filters, compared
from mujina.publishing.releases.params import ListReleases

_FILTERS: Final[Filters] = {
    "updated_after": compared("rel.updated_at", ">="),
    "updated_before": compared("rel.updated_at", "<="),
}
ORDERS: Final[dict[str, Order]] = {
    "released_at": ascending("rel.released_at", "rel.id"),
    "created_at": ascending("rel.created_at", "rel.id"),
    "id": ascending("rel.id"),
}


def apply_filters(selection: Selection, query: ListReleases) -> Selection:
    """Apply the filters of the query."""
    return filters.apply_filters(selection, query, _FILTERS)
