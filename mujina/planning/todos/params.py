"""The parameters of requests about todos."""

from typing import Literal

from mujina.kernel.params import UNSET, Params, Unset


class ListTodos(Params):
    action: (
        Literal[
            "assigned", "mentioned", "build_failed", "marked", "approval_required", "unmergeable", "directly_addressed"
        ]
        | Unset
    ) = UNSET
    author_id: int | Unset = UNSET
    project_id: int | Unset = UNSET
    state: Literal["pending", "done"] = "pending"
    type: Literal["Issue", "MergeRequest", "Epic"] | Unset = UNSET
