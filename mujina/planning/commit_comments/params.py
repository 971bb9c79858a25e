"""The parameters of requests about comments on commits."""

from typing import Literal

from mujina.kernel.http.params import UNSET, Params, Unset


class RequestedLine(Params):
    path: str | Unset = UNSET
    line: int | Unset = UNSET
    line_type: Literal["new", "old"] = "new"


class CreateCommitComment(RequestedLine):
    note: str
