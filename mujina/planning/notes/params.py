"""The parameters of requests about notes."""

from typing import Literal

from mujina.kernel.http.params import UNSET, Params, Timestamp, Unset


class ListNotes(Params):
    order_by: Literal["created_at", "updated_at", "id"] = "created_at"
    sort: Literal["asc", "desc"] = "desc"


class CreateNote(Params):
    body: str
    created_at: Timestamp | Unset = UNSET


class EditNote(Params):
    body: str


class ShownNote(Params):
    """Which part of a long discussion a page shows."""

    note: int | Unset = UNSET
