"""The conditions that the parameters of lists of badges become."""

from typing import Final

from mujina.code.badges.params import ListBadges
from mujina.code.badges.rules import badges_of
from mujina.kernel.db.sql.selection import Selection
from mujina.kernel.lists.filters import Filters, apply_filters, compared
from mujina.workspaces.owners.rules import Owner

_FILTERS: Final[Filters] = {"name": compared("bd.name")}


def selected(owner: Owner, query: ListBadges) -> Selection:
    """The badges of the project or group that match; a project has those of the groups above it as well."""
    return apply_filters(badges_of(owner), query, _FILTERS)
