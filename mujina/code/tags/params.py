"""Parameters of requests about tags."""

from typing import Literal

from mujina.code.commits.params import Message
from mujina.kernel.http.params import UNSET, Params, Unset, Words


class ListTags(Params):
    order_by: Literal["name", "updated", "version", "id"] = "updated"
    sort: Literal["asc", "desc"] = "desc"
    search: Words | Unset = UNSET


class CreateTag(Params):
    tag_name: str
    ref: str
    message: Message | Unset | None = UNSET
    release_description: str | Unset | None = UNSET


class DescribeRelease(Params):
    description: str
