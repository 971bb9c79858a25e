"""The conditions that the parameters of lists of environments become."""

from typing import Final

from mujina.ci.environments.params import ListEnvironments
from mujina.ci.environments.rules import environments_of
from mujina.kernel.db.sql.selection import Selection, matching
from mujina.kernel.lists.filters import Filters, apply_filters, compared

_FILTERS: Final[Filters] = {
    "name": compared("en.name"),
    "states": compared("en.state"),
    "search": lambda _, words: matching(words, "lower(en.name)"),
}


def selected(project_id: int, query: ListEnvironments) -> Selection:
    """The environments of the project that match."""
    return apply_filters(environments_of(project_id), query, _FILTERS)
