"""The parameters of requests about todos."""

from typing import Literal

from mujina.kernel.http.params import UNSET, Params, Unset


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


class FilterTodos(Params):
    """The filters of the page: an empty field filters nothing."""

    action: str | Unset = UNSET
    author_id: int | Unset | None = UNSET
    project_id: int | Unset | None = UNSET
    state: Literal["pending", "done"] = "pending"
    type: Literal["", "Issue", "MergeRequest", "Epic"] | Unset = UNSET

    @property
    def chosen(self) -> ListTodos:
        """The parameters with which the API filters."""
        return ListTodos(**{name: value for name, value in self.sent_fields().items() if value not in ("", None)})
