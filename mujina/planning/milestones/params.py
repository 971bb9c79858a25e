"""The parameters of requests about milestones."""

from typing import ClassVar, Literal

from mujina.kernel.http.params import UNSET, Date, Ids, Params, RequiredText, Timestamp, Unset, Words


class ListMilestones(Params):
    """The filters of lists of milestones."""

    state: Literal["active", "closed", "all"] = "all"
    iids: Ids | Unset = UNSET
    title: str | Unset = UNSET
    search: Words | Unset = UNSET
    include_ancestors: bool | Unset | None = UNSET
    include_parent_milestones: bool | Unset | None = UNSET
    """The older name of `include_ancestors`."""
    updated_after: Timestamp | Unset | None = UNSET
    updated_before: Timestamp | Unset | None = UNSET
    containing_date: Date | Unset | None = UNSET


class FilterMilestones(ListMilestones):
    """The filters of the page that lists milestones."""

    state: Literal["active", "closed", "all"] = "active"


class MilestoneChart(Params):
    """The unit that the burn-down chart counts."""

    by: Literal["issues", "weight"] = "issues"


class MilestoneChange(Params):
    """The fields that creating and editing a milestone share. An omitted field stays as it is."""

    description: str | Unset | None = UNSET
    due_date: Date | Unset | None = UNSET
    start_date: Date | Unset | None = UNSET


class CreateMilestone(MilestoneChange):
    title: str


class EditMilestone(MilestoneChange):
    title: RequiredText | Unset = UNSET
    state_event: Literal["close", "activate"] | Unset = UNSET

    at_least_one_of: ClassVar = ("title", *MilestoneChange.__struct_fields__, "state_event")
