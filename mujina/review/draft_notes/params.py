"""The parameters of requests about draft notes."""

from typing import ClassVar

from mujina.kernel.http.params import EVERY_FIELD, UNSET, Params, RequiredText, Unset
from mujina.planning.discussions.params import PositionParam


class CreateDraftNote(Params):
    note: str
    in_reply_to_discussion_id: str | Unset = UNSET
    position: PositionParam | Unset | None = UNSET
    resolve_discussion: bool | Unset = UNSET


class EditDraftNote(Params):
    note: RequiredText | Unset = UNSET
    position: PositionParam | Unset | None = UNSET

    at_least_one_of: ClassVar = EVERY_FIELD
