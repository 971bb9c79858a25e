"""The parameters of requests about who wrote the lines of a file."""

from typing import Any, cast

from mujina.kernel import errors
from mujina.kernel.http.forms import Tree
from mujina.kernel.http.params import MAX_INTEGER, UNSET, BadValue, Dictionary, Params, Unset, read_integer


class BlameFile(Params):
    ref: str | Unset = UNSET
    range: Dictionary | Unset = UNSET
    """`range[start]` and `range[end]`: the first and the last line; all by default."""

    @property
    def lines(self) -> tuple[int, int]:
        """The first and the last line; 400 if they are not two numbers in their order."""
        if self.range is UNSET:
            return 1, MAX_INTEGER
        first, last = (_number(cast("Tree", self.range), name) for name in ("start", "end"))
        if first > last:
            raise errors.bad_request("range[start] must be less than or equal to range[end]")
        return first, last


def _number(tree: Tree, name: str) -> int:
    value: Any = tree.get(name)
    try:
        number = read_integer(value)
    except BadValue:
        number = 0
    if number < 1:
        raise errors.unacceptable(f"range[{name}] is invalid")
    return number
