"""The parameters of requests about namespaces."""

from typing import ClassVar

from mujina.kernel.http.params import EVERY_FIELD, UNSET, Params, Unset, Words


class ListNamespaces(Params):
    search: Words | Unset = UNSET


class CheckNamespace(Params):
    parent_id: int | Unset | None = UNSET


class EditNamespace(Params):
    plan: str | Unset | None = UNSET
    shared_runners_minutes_limit: int | Unset | None = UNSET

    at_least_one_of: ClassVar = EVERY_FIELD
