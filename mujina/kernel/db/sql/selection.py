"""SQL as values: a text stays together with what it binds, an order can be reversed and compared, and a selection says which
rows a list shows.

Print `.text` to read them as SQL.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import LiteralString

from mujina.kernel.db.transaction import Tx, Value
from mujina.kernel.text.folding import fold, like, words

_NOTHING: Mapping[str, Value] = MappingProxyType({})


class Sql:
    """A condition, an expression or a statement."""

    __slots__ = ("bound", "text")

    def __init__(self, text: LiteralString, /, **bound: Value) -> None:
        self.text: LiteralString = text
        self.bound: Mapping[str, Value] = bound or _NOTHING

    def __and__(self, other: "Sql") -> "Sql":
        texts: list[LiteralString] = [each.operand for each in (self, other) if each.text != "TRUE"]
        return _Conjunction(" AND ".join(texts) or "TRUE", **joined(self.bound, other.bound))

    def __invert__(self) -> "Sql":
        return Sql(f"NOT ({self.text})", **self.bound)

    @property
    def operand(self) -> LiteralString:
        """The text beside an AND: an OR in it stays inside of parentheses."""
        return f"({self.text})" if "OR" in self.text else self.text


class _Conjunction(Sql):
    """Conditions joined by AND, whose texts are operands already."""

    __slots__ = ()

    @property
    def operand(self) -> LiteralString:
        return self.text


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

    def after(self, values: Sequence[Value]) -> Sql:
        """The rows that follow the row with these values; all keys have the same direction."""
        expressions: LiteralString = ", ".join([expression for expression, _ in self.keys])
        names = _NAMES[: len(self.keys)]
        behind: LiteralString = "<" if self.keys[0][1] else ">"
        bound: LiteralString = ", ".join([f":after_{name}" for name in names])
        named = {f"after_{name}": value for name, value in zip(names, values, strict=True)}
        return Sql(f"({expressions}) {behind} ({bound})", **named)


_NAMES: tuple[LiteralString, ...] = ("sort1", "sort2", "sort3", "sort4")


def ascending(*expressions: LiteralString) -> Order:
    """The least first."""
    return Order(tuple((expression, False) for expression in expressions))


def descending(*expressions: LiteralString) -> Order:
    """The greatest first."""
    return Order(tuple((expression, True) for expression in expressions))


class Selection:
    """The rows of a source that match all conditions, as a value: a narrower selection is a new one.

    The same selection gives the page and its total, so the two agree.
    """

    __slots__ = ("_matches", "_source", "_total")

    def __init__(self, source: LiteralString, condition: LiteralString | Sql = "TRUE", /, **bound: Value) -> None:
        self._source: LiteralString = source
        self._matches = condition if isinstance(condition, Sql) else Sql(condition, **bound)
        self._total: int | Sql | None = None

    def where(self, condition: LiteralString | Sql, **bound: Value) -> "Selection":
        """Keep the rows that match; a bound name has one value in all conditions."""
        added = condition if isinstance(condition, Sql) else Sql(condition, **bound)
        return Selection(self._source, self._matches & added)

    def bind(self, **bound: Value) -> "Selection":
        """Bind what no condition of its own binds: names in the source, in an order, in a statement for the total."""
        return Selection(self._source, self._matches & Sql("TRUE", **bound)).counted(self._total)

    def counted(self, total: int | Sql | None) -> "Selection":
        """These rows with their total, or with a statement for it that is cheaper than to count them.

        A narrower selection is counted by its rows again.
        """
        counted = Selection(self._source, self._matches)
        counted._total = total
        return counted

    @property
    def uncounted(self) -> "Selection":
        """These rows for a reader who needs no total: they are not counted."""
        return self.counted(0)

    def among(self, id: LiteralString, other_id: LiteralString, other: "Selection") -> "Selection":
        """Keep the rows whose id is one of another selection."""
        return self.where(Sql(f"{id} IN (SELECT {other_id} {other.text})", **other.bound))

    def joined_to(self, first: LiteralString, condition: Sql) -> "Selection":
        """Keep the rows for which the source `first` has a row; it is read before them, whatever the planner thinks."""
        return Selection(f"{first} CROSS JOIN {self._source}", self._matches & condition)

    def collected(self, alias: LiteralString) -> "Selection":
        """These rows, of which there are probably few: they are collected before they are sorted.

        With the limit in its plan, PostgreSQL would scan the whole table in the order of the list.
        """
        rows: LiteralString = f"WITH {alias} AS MATERIALIZED (SELECT {alias}.* {self.text}) SELECT * FROM {alias}"
        total = self.count if self._total is None else self._total
        return Selection(f"({rows}) {alias}", **self.bound).counted(total)

    @property
    def source(self) -> LiteralString:
        """What stands behind `FROM`."""
        return self._source

    @property
    def condition(self) -> LiteralString:
        """What stands behind `WHERE`, or beside an AND."""
        return self._matches.operand

    @property
    def bound(self) -> Mapping[str, Value]:
        return self._matches.bound

    @property
    def text(self) -> LiteralString:
        """`FROM … WHERE …`"""
        return f"FROM {self._source} WHERE {self._matches.text}"

    @property
    def is_kept(self) -> bool:
        """Whether a statement gives the total that is cheaper than to count the rows."""
        return isinstance(self._total, Sql)

    @property
    def count(self) -> Sql:
        """A statement for how many rows there are in all; it binds what the rows bind, and what it needs besides."""
        if isinstance(self._total, int):
            return Sql("SELECT CAST(:total AS bigint)", **self.bound, total=self._total)
        if self._total is None:
            return Sql(f"SELECT count(*) {self.text}", **self.bound)
        return Sql(self._total.text, **joined(self.bound, self._total.bound))

    async def total(self, tx: Tx, within: LiteralString = "") -> int:
        """How many rows there are in all. `within`: what the source refers to (`WITH …`)."""
        if isinstance(self._total, int):
            return self._total
        count = self.count
        return await tx.value(f"{within} SELECT ({count.text})" if within else count.text, **count.bound)

    def matching(self, query: str, *columns: LiteralString, equals: LiteralString | None = None) -> "Selection":
        """Keep the rows that have the words of the query."""
        return self.where(matching(query, *columns, equals=equals))


def either(columns: LiteralString, alias: LiteralString, first: Selection, second: Selection) -> Selection:
    """The rows of both selections, which have no row in common, with these columns, under this alias."""
    rows: LiteralString = f"(SELECT {columns} {first.text} UNION ALL SELECT {columns} {second.text}) {alias}"
    return Selection(rows, **joined(first.bound, second.bound))


def matching(query: str, *columns: LiteralString, equals: LiteralString | None = None) -> Sql:
    """Whether all words of the query occur in one of the folded columns, or the whole query `equals` a column.

    Words shorter than three letters are ignored; a query of only such words must equal the whole text. A blank query
    matches nothing.
    """
    if not query.strip():
        return Sql("FALSE")
    terms = search_terms(query)
    names = _WORDS[: len(terms)]
    options: list[LiteralString] = [_all_in(column, names) for column in columns]
    if equals is not None:
        options.append(f"{equals} = :phrase")
    patterns = {name: f"%{like(word)}%" for name, word in zip(names, terms, strict=True)}
    return Sql(f"({' OR '.join(options)})", phrase=fold(query.strip()), **patterns)


_WORDS: tuple[LiteralString, ...] = (
    "word1", "word2", "word3", "word4", "word5", "word6", "word7", "word8",
    "word9", "word10", "word11", "word12", "word13", "word14", "word15", "word16",
)  # fmt: skip
"""Sixteen words narrow any search enough; further words are ignored."""

_MAX_WORD_LENGTH = 1_000
"""The part of a long word that is searched for; SQLite rejects patterns of 50,000 bytes."""


def search_terms(query: str) -> list[str]:
    """The words that `matching` asks for."""
    return [word[:_MAX_WORD_LENGTH] for word in words(query)[: len(_WORDS)]]


def _all_in(column: LiteralString, names: tuple[LiteralString, ...]) -> LiteralString:
    if not names:
        return f"{column} = :phrase"
    return f"({' AND '.join(_occurs(column, name) for name in names)})"


def _occurs(column: LiteralString, name: LiteralString) -> LiteralString:
    return f"{column} LIKE :{name} ESCAPE '\\'"
