"""The parameters of requests about epics."""

from typing import Annotated, ClassVar, Literal

from mujina.kernel.http.params import UNSET, Form, Names, Params, RequiredText, Unset, Words, read_date

ClearableDate = Annotated[str, Form(read_date, {"type": "string", "format": "date"}, null_clears=True)]
"""A date that both null and blank text clear."""


class ListEpics(Params):
    """The filters of lists of epics."""

    search: Words | Unset = UNSET
    author_id: int | Unset | None = UNSET
    order_by: Literal["created_at", "updated_at", "id"] = "created_at"
    sort: Literal["asc", "desc"] = "desc"


class FilterEpics(ListEpics):
    """The filters of the page, which also knows labels."""

    label_name: Names | Unset = UNSET


class EpicChange(Params):
    """The fields that creating and editing an epic share. An omitted field stays as it is."""

    description: str | Unset | None = UNSET
    start_date: ClearableDate | Unset | None = UNSET
    end_date: ClearableDate | Unset | None = UNSET


class CreateEpic(EpicChange):
    title: str


class EditEpic(EpicChange):
    title: RequiredText | Unset = UNSET

    at_least_one_of: ClassVar = ("title", *EpicChange.__struct_fields__)


class EpicFields(EpicChange):
    """The form of a new epic."""

    title: str = ""


class EpicLabels(Params):
    """The labels in the form of an epic. The API has no such field."""

    labels: Names | Unset = UNSET
