"""The conditions that the parameters of lists of topics become."""

from typing import Final

from mujina.kernel.db.sql.selection import Selection, matching
from mujina.kernel.lists.filters import Filters, apply_filters, only_if
from mujina.kernel.permissions.actor import Actor
from mujina.workspaces.topics.params import ListTopics
from mujina.workspaces.topics.rules import of_readable_project, readable_topics

_FILTERS: Final[Filters] = {
    "search": lambda _, words: matching(words, "tp.name_folded"),
    # Projects that the actor may not read do not count, so nobody learns that they have the topic.
    "without_projects": only_if((~of_readable_project).for_scan),
}


def selected(actor: Actor, query: ListTopics) -> Selection:
    """The topics that the actor sees and that match."""
    return apply_filters(readable_topics(actor), query, _FILTERS)
