"""What requests about comments on commits may say."""

from typing import Literal

from mujina.kernel.params import UNSET, Params, Unset


class CreateComment(Params):
    note: str
    path: str | Unset = UNSET
    line: int | Unset = UNSET
    line_type: Literal["new", "old"] = "new"
