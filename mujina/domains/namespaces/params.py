"""What requests about namespaces may say."""

from typing import ClassVar

from mujina.kernel.params import UNSET, Params, Unset


class ListNamespaces(Params):
    search: str | Unset = UNSET


class EditNamespace(Params):
    plan: str | Unset | None = UNSET

    at_least_one_of: ClassVar = ("plan",)
