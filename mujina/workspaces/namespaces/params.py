"""The parameters of requests about namespaces."""

from typing import ClassVar

from mujina.kernel.http.params import EVERY_FIELD, UNSET, Params, Unset, Words


class ListNamespaces(Params):
    search: Words | Unset = UNSET
    owned_only: bool | Unset = UNSET
    top_level_only: bool | Unset = UNSET
    full_path_search: bool | Unset = UNSET
    """Whether words are also searched for in the paths of the groups above."""


class CheckNamespace(Params):
    parent_id: int | Unset | None = UNSET


class EditNamespace(Params):
    plan: str | Unset | None = UNSET
    shared_runners_minutes_limit: int | Unset | None = UNSET

    at_least_one_of: ClassVar = EVERY_FIELD
