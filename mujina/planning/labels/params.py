"""The parameters of requests about labels."""

from typing import ClassVar

from mujina.kernel.params import UNSET, Params, Unset, Words


class ListLabels(Params):
    """The filter of lists of labels."""

    search: Words | Unset = UNSET


class CreateLabel(Params):
    """Groups ignore `priority`."""

    name: str
    color: str
    description: str | Unset | None = UNSET
    priority: int | Unset | None = UNSET


class EditLabel(Params):
    """An omitted field stays as it is."""

    new_name: str | Unset = UNSET
    color: str | Unset = UNSET
    description: str | Unset | None = UNSET
    priority: int | Unset | None = UNSET

    at_least_one_of: ClassVar = ("new_name", "color", "description", "priority")


class EditLabelByName(EditLabel):
    name: str


class LabelByName(Params):
    name: str
