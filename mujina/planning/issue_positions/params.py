"""The parameters of requests about positions of issues."""

from typing import ClassVar

from mujina.kernel.http.params import UNSET, Params, Unset


class ReorderIssue(Params):
    move_after_id: int | Unset = UNSET
    """The id of the issue that comes after this one."""
    move_before_id: int | Unset = UNSET
    """The id of the issue that comes before this one."""

    at_least_one_of: ClassVar = ("move_after_id", "move_before_id")
