"""The parameters of the pages of one's own work and of the explore pages."""

from typing import Literal

from mujina.kernel.http.params import UNSET, Params, Unset, Words


class FilterProjects(Params):
    """The search field and the order of a list of projects."""

    search: Words | Unset = UNSET
    order: Literal["", "activity", "name", "newest", "oldest"] | Unset = UNSET


class FilterExploredProjects(FilterProjects):
    topic: Words | Unset = UNSET


class FilterByWords(Params):
    """The search field of a list."""

    search: Words | Unset = UNSET


class FilterOwnMilestones(Params):
    state: Literal["active", "closed", "all"] = "active"
