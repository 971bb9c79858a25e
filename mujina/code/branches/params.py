"""Parameters of requests about branches."""

from typing import Literal

from mujina.kernel.http.params import UNSET, Params, Unset, Words


class ListBranches(Params):
    search: Words | Unset = UNSET
    regex: str | Unset = UNSET


class CreateBranch(Params):
    branch: str
    ref: str


class SetDeveloperAccess(Params):
    developers_can_push: bool | Unset | None = UNSET
    developers_can_merge: bool | Unset | None = UNSET


class ListBranchesPage(ListBranches):
    state: Literal["active", "stale", "all"] = "active"
