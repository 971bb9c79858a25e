"""The order of a list as a value: it is reversed and compared, and written into a statement as `order.text`."""

from dataclasses import dataclass
from functools import cached_property
from typing import LiteralString


@dataclass(frozen=True)
class Order:
    """Expressions by which rows are sorted, each with whether it descends."""

    keys: tuple[tuple[LiteralString, bool], ...]

    @cached_property
    def text(self) -> LiteralString:
        """What stands behind `ORDER BY`."""
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
        """The expressions as columns of a subquery, for `text_of`."""
        return ", ".join(f"{expression} AS {name}" for (expression, _), name in zip(self.keys, _NAMES, strict=False))

    def text_of(self, subquery: LiteralString) -> LiteralString:
        """What stands behind `ORDER BY` around a subquery that has the `columns`."""
        return ", ".join(
            f"{subquery}.{name} {'DESC' if descends else 'ASC'}"
            for (_, descends), name in zip(self.keys, _NAMES, strict=False)
        )


_NAMES: tuple[LiteralString, ...] = ("sort1", "sort2", "sort3", "sort4")


def ascending(*expressions: LiteralString) -> Order:
    """The least first."""
    return Order(tuple((expression, False) for expression in expressions))


def descending(*expressions: LiteralString) -> Order:
    """The greatest first."""
    return Order(tuple((expression, True) for expression in expressions))
