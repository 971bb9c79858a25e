"""The conditions that the parameters of lists of user lists become."""

from typing import Final

from mujina.ci.user_lists.params import ListUserLists
from mujina.ci.user_lists.rules import user_lists_of
from mujina.kernel.db.sql.selection import Selection
from mujina.kernel.lists.filters import Filters, apply_filters, containing

_FILTERS: Final[Filters] = {"search": containing("ul.name")}


def selected(project_id: int, query: ListUserLists) -> Selection:
    """The lists of the project that match."""
    return apply_filters(user_lists_of(project_id), query, _FILTERS)
