"""One SQL text for two engines: `:name`, `IN :names`, row locks and the names of two functions that gather rows into
one value are all that is translated, once per text.

Comments and layout are stripped.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, cast

import msgspec
from msgspec import json

from mujina.kernel.db.errors import UnbindableValue
from mujina.kernel.db.transaction import Value

# Most letters start no token, and most spaces are alone: both are passed over at once.
_TOKEN = re.compile(
    r"""
    (?= [\s'"\-/:nijf] ) (?:
      (?P<verbatim> '(?:[^']|'')*' | "(?:[^"]|"")*" )
    | (?P<idle> (?! [ ] [^\s\-/] ) (?: \s | --[^\n]* | /\*.*?\*/ )+ )
    | (?P<cast> :: )
    | \b (?P<outside> NOT \s+ )? IN \s* :(?P<list> [a-z_]\w* )
    | :(?P<name> [a-z_]\w* )
    | \b (?P<gathers> json_agg | json_build_array ) (?= \s* \( )
    | (?P<lock> \b FOR \s+ (?: (?: NO \s+ KEY \s+ )? UPDATE | KEY \s+ SHARE ) \b
        (?: \s+ OF \s+ \w+ (?: \s*,\s* \w+ )* )? (?: \s+ SKIP \s+ LOCKED | \s+ NOWAIT )? )
    )
    """,
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)

_GATHERING = {"json_agg": "json_group_array", "json_build_array": "json_array"}
"""The names that SQLite has for them."""

_switches: dict[str, bool] = {}
"""The names that are TRUE or FALSE in every statement of this process."""

_LEAST, _MOST = -(2**63), 2**63 - 1
_HARMLESS = frozenset({bool, type(None), float})


class Statement(msgspec.Struct, frozen=True):
    """The text of one engine, and the names it binds in their order."""

    text: str
    names: tuple[str, ...]
    lists: tuple[int, ...]
    """The positions of names that stand behind `IN`."""
    as_list: Callable[[list[Any]], Any]

    def arguments(self, bound: Mapping[str, Value]) -> list[Any]:
        """The values in order; rejects an unbound name, a list outside `IN`, and values that no engine accepts.

        Extra values are ignored, so that fragments share one set.
        """
        try:
            values = [bound[name] for name in self.names]
        except KeyError as missing:
            raise LookupError(f"nothing is bound to :{missing.args[0]} in: {self.text}") from None
        lists = [(at, values[at]) for at in self.lists] if self.lists else ()
        for at, _ in lists:
            values[at] = None
        if not _are_plain(values):
            values = [_single(name, value) for name, value in zip(self.names, values, strict=True)]
        for at, each in lists:
            values[at] = self._list(self.names[at], each)
        return values

    def _list(self, name: str, value: Value) -> Any:
        if not isinstance(value, list | tuple):
            raise TypeError(f"IN :{name} takes a list, not {type(value).__name__}")
        each = cast("list[Value]", value)
        return self.as_list(each if _are_plain(each) else [_single(name, one) for one in each])


@lru_cache(4096)
def sqlite(sql: str) -> Statement:
    """The text for SQLite: lists are bound as JSON, and row locks fall away (its one writer needs none)."""

    def spell(token: re.Match[str], _: int) -> str:
        if token["list"]:
            return f"{token['outside'] or ''}IN (SELECT value FROM json_each(:{token['list']}))"
        if token["gathers"]:
            return _GATHERING[token["gathers"].lower()]
        return "" if token["lock"] else token[0]

    return _translate(sql, spell, _as_json)


@lru_cache(4096)
def postgres(sql: str) -> Statement:
    """The text for PostgreSQL: names become numbers, and lists are arrays."""

    def spell(token: re.Match[str], position: int) -> str:
        if token["list"]:
            return f"<> ALL(${position})" if token["outside"] else f"= ANY(${position})"
        return f"${position}" if token["name"] else token[0]

    return _translate(sql, spell, list)


def register_switches(switches: Mapping[str, bool]) -> None:
    """`:name` of a switch is TRUE or FALSE in every statement, and no caller binds it.

    The truth value is part of the text, so the planner removes what it decides.
    """
    if not switches.items() <= _switches.items():
        _switches.update(switches)
        sqlite.cache_clear()
        postgres.cache_clear()


def _translate(sql: str, spell: Callable[[re.Match[str], int], str], as_list: Callable[[list[Any]], Any]) -> Statement:
    positions: dict[str, int] = {}
    lists: set[str] = set()
    singles: set[str] = set()

    def spelled(token: re.Match[str]) -> str:
        if token["idle"]:
            return " "  # drivers look a statement up by its whole text, each time
        if token["cast"]:
            raise ValueError(f"write CAST(… AS …) instead of '::' in: {sql}")
        name = token["list"] or token["name"]
        if not name:
            return spell(token, 0)
        if name in _switches:
            return "TRUE" if _switches[name] else "FALSE"
        (lists if token["list"] else singles).add(name)
        return spell(token, positions.setdefault(name, len(positions) + 1))

    text = _TOKEN.sub(spelled, sql)
    if both := lists & singles:
        raise ValueError(f":{min(both)} is bound both as a list and as one value in: {sql}")
    return Statement(text, tuple(positions), tuple(positions[name] - 1 for name in lists), as_list)


def _are_plain(values: Sequence[Value]) -> bool:
    """Whether all values can be bound as they are, checked without a call for each."""
    for value in values:
        kind = type(value)
        if kind is int:
            if not _LEAST <= value <= _MOST:  # type: ignore[operator]
                return False
        elif kind is str:
            if "\0" in value:  # type: ignore[operator]
                return False
        elif kind not in _HARMLESS:
            return False
    return True


def _single(name: str, value: Value) -> Value:
    if isinstance(value, str):
        if "\0" in value:
            raise UnbindableValue(f":{name} contains NUL")
    elif isinstance(value, int):
        if not _LEAST <= value <= _MOST:
            raise UnbindableValue(f":{name} does not fit 64 bits")
    elif not (value is None or isinstance(value, float | bytes)):
        raise TypeError(f":{name} cannot be {type(value).__name__}; a list stands only behind IN")
    return value


def _as_json(values: list[Any]) -> str:
    return json.encode(values).decode()
