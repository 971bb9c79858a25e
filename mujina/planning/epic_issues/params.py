"""The parameters of requests about the issues of an epic."""

from mujina.kernel.http.params import UNSET, Params, Unset, Words


class MoveEpicIssue(Params):
    """The links that shall stand next to the moved one."""

    # Compat: `move_before_id` is the link that comes before, not the one to move in front of.
    move_before_id: int | Unset | None = UNSET
    move_after_id: int | Unset | None = UNSET


class AddEpicIssue(Params):
    """The form that adds an issue: its address, or its reference such as `group/project#7`."""

    issue: Words = ""
