"""Parameters of requests about schedules."""

from typing import ClassVar, Literal

from mujina.ci.settings.params import ShowValues
from mujina.ci.variables.params import VariableType
from mujina.kernel.http.params import UNSET, Params, RequiredText, Unset


class ListSchedules(Params):
    scope: Literal["active", "inactive"] | Unset = UNSET


class FilterSchedules(Params):
    """The tab of the page that lists schedules."""

    scope: Literal["", "active", "inactive"] = ""

    @property
    def listed(self) -> ListSchedules:
        return ListSchedules(scope=self.scope or UNSET)


class ShowSchedule(ShowValues):
    edit: str = ""
    """The key of the variable that is a form."""


class CreateSchedule(Params):
    description: str
    ref: str
    cron: str
    cron_timezone: RequiredText = "UTC"
    active: bool | Unset = UNSET


class EditSchedule(Params):
    description: RequiredText | Unset = UNSET
    ref: RequiredText | Unset = UNSET
    cron: RequiredText | Unset = UNSET
    cron_timezone: RequiredText | Unset = UNSET
    active: bool | Unset = UNSET


class CreateScheduleVariable(Params):
    key: str
    value: str
    variable_type: VariableType | Unset = UNSET


class EditScheduleVariable(Params):
    value: RequiredText | Unset = UNSET
    variable_type: VariableType | Unset = UNSET

    at_least_one_of: ClassVar = ("value", "variable_type")
