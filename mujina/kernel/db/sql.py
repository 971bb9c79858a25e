"""A piece of SQL as a value: its text and the values that it binds stay together."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import LiteralString

from mujina.kernel.db.transaction import Value

_NOTHING: Mapping[str, Value] = MappingProxyType({})


class Sql:
    """A condition, an expression or a statement."""

    __slots__ = ("bound", "text")

    def __init__(self, text: LiteralString, /, **bound: Value) -> None:
        self.text: LiteralString = text
        self.bound: Mapping[str, Value] = bound or _NOTHING

    def __and__(self, other: "Sql") -> "Sql":
        return Sql(f"{self.text} AND {other.text}", **joined(self.bound, other.bound))

    def __invert__(self) -> "Sql":
        return Sql(f"NOT {self.text}", **self.bound)


def joined(first: Mapping[str, Value], second: Mapping[str, Value]) -> dict[str, Value]:
    """The values of both; a name that both bind has one value."""
    for name in first.keys() & second.keys():
        if first[name] != second[name]:
            raise ValueError(f":{name} is bound to two values")
    return {**first, **second}
