"""The parameters of requests about labels."""

from typing import Annotated, ClassVar

from mujina.kernel.http.params import EVERY_FIELD, UNSET, Form, Params, RequiredText, Unset, Words, read_integer

# Compat: null removes the priority of a label, as blank text does.
Priority = Annotated[int, Form(read_integer, {"type": "integer", "format": "int64"}, null_clears=True)]


class ListLabels(Params):
    """The filters of lists of labels."""

    search: Words | Unset = UNSET
    include_ancestor_groups: bool | Unset | None = UNSET
    """False: only those of the project or group itself."""
    with_counts: bool | Unset | None = UNSET
    """Ignored: labels always have their counts."""


class CreateLabel(Params):
    """Groups ignore `priority`."""

    name: str
    color: str
    description: str | Unset | None = UNSET
    priority: Priority | Unset | None = UNSET


class EditLabel(Params):
    """An omitted field stays as it is."""

    new_name: RequiredText | Unset = UNSET
    color: RequiredText | Unset = UNSET
    description: str | Unset | None = UNSET
    priority: Priority | Unset | None = UNSET

    at_least_one_of: ClassVar = EVERY_FIELD


class EditLabelByName(EditLabel):
    name: str


class LabelByName(Params):
    name: str


class LabelFields(Params):
    """The form of a label. A field that the form lacks stays as it is."""

    title: str | Unset = UNSET
    description: str | Unset = UNSET
    preset: str | Unset = UNSET
    """One of the offered colors; empty: none of them."""
    color: str | Unset = UNSET
    """Another color."""
    priority: Priority | Unset | None = UNSET
