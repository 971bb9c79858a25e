"""The users whom a request assigns."""

from typing import Protocol

from mujina.instance.editions.rules import counted_assignees
from mujina.kernel.http.params import UNSET, Ids, Unset


class AssigneeChange(Protocol):
    """The parameters of a request that assigns users."""

    @property
    def assignee_ids(self) -> Ids | Unset: ...
    @property
    def assignee_id(self) -> int | Unset | None: ...


def requested_assignees(change: AssigneeChange) -> list[int] | None:
    """The users whom the request assigns: none for 0 or an empty list; None if it leaves the assignees alone.

    An edition with one assignee takes the first.
    """
    if change.assignee_ids is not UNSET:
        return counted_assignees([id_ for id_ in change.assignee_ids or [] if id_ > 0])
    if change.assignee_id is not UNSET:
        return [change.assignee_id] if change.assignee_id else []
    return None
