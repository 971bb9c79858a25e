"""The parameters of requests about the issues of an epic."""

from mujina.kernel.params import UNSET, Params, Unset


class MoveEpicIssue(Params):
    """The links that shall stand next to the moved one."""

    # Compat: `move_before_id` is the link that comes before, not the one to move in front of.
    move_before_id: int | Unset | None = UNSET
    move_after_id: int | Unset | None = UNSET
