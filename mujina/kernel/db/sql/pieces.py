"""Pieces of SQL as values: a text stays together with what it binds, and an order can be reversed and compared.

Print `.text` to read them as SQL.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
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
        texts: list[LiteralString] = [text for text in (self.text, other.text) if text != "TRUE"]
        return Sql(" AND ".join(texts) or "TRUE", **joined(self.bound, other.bound))

    def __invert__(self) -> "Sql":
        return Sql(f"NOT {self.text}", **self.bound)


def joined(first: Mapping[str, Value], second: Mapping[str, Value]) -> dict[str, Value]:
    """The values of both; a name that both bind has one value."""
    for name in first.keys() & second.keys():
        if first[name] != second[name]:
            raise ValueError(f":{name} is bound to two values")
    return {**first, **second}


@dataclass(frozen=True)
class Order:
    """Expressions by which rows are sorted, each with whether it descends."""

    keys: tuple[tuple[LiteralString, bool], ...]

    @cached_property
    def text(self) -> LiteralString:
        """The text behind `ORDER BY`."""
        return ", ".join(f"{expression} {'DESC' if descends else 'ASC'}" for expression, descends in self.keys)

    @cached_property
    def reversed(self) -> "Order":
        return Order(tuple((expression, not descends) for expression, descends in self.keys))

    def directed(self, direction: str | object) -> "Order":
        """An ascending order as a client asks for it: reversed, unless the direction is `asc`."""
        return self if direction == "asc" else self.reversed

    def __add__(self, other: "Order") -> "Order":
        """Rows that are equal in this order are sorted by the other."""
        return Order(self.keys + other.keys)

    @cached_property
    def columns(self) -> LiteralString:
        """The expressions as columns of a subquery, for `of`."""
        return ", ".join(f"{expression} AS {name}" for (expression, _), name in zip(self.keys, _NAMES, strict=False))

    def of(self, subquery: LiteralString) -> "Order":
        """This order around a subquery that has the `columns`."""
        names = zip(self.keys, _NAMES, strict=False)
        return Order(tuple((f"{subquery}.{name}", descends) for (_, descends), name in names))


_NAMES: tuple[LiteralString, ...] = ("sort1", "sort2", "sort3", "sort4")


def ascending(*expressions: LiteralString) -> Order:
    """The least first."""
    return Order(tuple((expression, False) for expression in expressions))


def descending(*expressions: LiteralString) -> Order:
    """The greatest first."""
    return Order(tuple((expression, True) for expression in expressions))
