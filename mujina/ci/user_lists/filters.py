"""The conditions that the parameters of lists of user lists become."""

from typing import Final

from mujina.ci.user_lists.params import ListUserLists
from mujina.ci.user_lists.rules import user_lists_of
from mujina.kernel.db.sql.selection import Selection, Sql
from mujina.kernel.lists.filters import Filters, apply_filters
from mujina.kernel.text.folding import like

_FILTERS: Final[Filters] = {
    "search": lambda name, words: Sql(f"lower(ul.name) LIKE lower(:{name}) ESCAPE '\\'", **{name: f"%{like(words)}%"}),
}


def selected(project_id: int, query: ListUserLists) -> Selection:
    """The lists of the project that match."""
    return apply_filters(user_lists_of(project_id), query, _FILTERS)
