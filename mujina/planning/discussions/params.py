"""The parameters of discussions, which may be about a line of a diff."""

import re
from typing import Annotated, Any, Literal, cast

import msgspec

from mujina.kernel import errors
from mujina.kernel.http.params import (
    UNSET,
    BadValue,
    Form,
    Params,
    Timestamp,
    Unset,
    read_integer,
    read_text,
)

MAX_PATH_LENGTH = 4096
MAX_LINE = 2**31 - 1
_SHA = re.compile(r"[0-9a-f]{40}")


class RequestedPosition(msgspec.Struct, frozen=True):
    """A position as a client describes it; it may name no line of the diff."""

    type: Literal["text", "image"]
    base_sha: str = ""
    start_sha: str = ""
    head_sha: str = ""
    old_path: str = ""
    new_path: str = ""
    old_line: int | None = None
    new_line: int | None = None
    width: int | None = None
    height: int | None = None
    x: int | None = None
    y: int | None = None

    @property
    def complete(self) -> bool:
        """Whether it names a file, three commits, and a line or a point."""
        if not (self.old_path or self.new_path):
            return False
        if not all(_SHA.fullmatch(sha) for sha in (self.base_sha, self.start_sha, self.head_sha)):
            return False
        if self.type == "text":
            return self.old_line is not None or self.new_line is not None
        return all(number is not None for number in (self.width, self.height, self.x, self.y))


_TEXTS = ("base_sha", "start_sha", "head_sha", "old_path", "new_path")
_NUMBERS = ("old_line", "new_line", "width", "height", "x", "y")
_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "position_type": {"enum": ["text", "image"]},
        **{name: {"type": "string"} for name in _TEXTS},
        **{name: {"type": "integer"} for name in _NUMBERS},
    },
}


def _read_position(value: Any) -> RequestedPosition:
    if not isinstance(value, dict):
        raise BadValue
    tree = cast("dict[str, Any]", value)
    if tree.get("position_type") not in ("text", "image"):
        raise errors.unacceptable("position[position_type] does not have a valid value")
    fields: dict[str, Any] = {}
    for name in (*_TEXTS, *_NUMBERS):
        if tree.get(name) in (None, ""):
            continue
        try:
            fields[name] = read_text(tree[name]) if name in _TEXTS else read_integer(tree[name])
        except BadValue as bad:
            raise errors.unacceptable(f"position[{name}] {bad.complaint}") from None
        if name in _NUMBERS and not 0 <= fields[name] <= MAX_LINE:
            raise errors.unacceptable(f"position[{name}] is invalid")
        if name in _TEXTS and len(fields[name]) > MAX_PATH_LENGTH:
            raise errors.unacceptable(f"position[{name}] is invalid")
    return RequestedPosition(tree["position_type"], **fields)


PositionParam = Annotated[RequestedPosition, Form(_read_position, _SCHEMA)]


class CreateDiscussion(Params):
    body: str
    position: PositionParam | Unset | None = UNSET
    created_at: Timestamp | Unset = UNSET
