"""Every SQL text of the package that can be known without running it, and every call that composes its text."""

import ast
import importlib
import re
from collections.abc import Iterator
from functools import cache
from types import ModuleType
from typing import Any, NamedTuple, cast

from tests.architecture.source import Module, modules

VERBS = {"rows": 1, "row": 1, "values": 0, "value": 0, "run": 0, "run_each": 0}
"""The verbs of a transaction, and which argument is the text."""

TABLE_ARGUMENTS = {
    "update": 1, "insert": 1, "insert_id": 1, "insert_each": 1, "upsert": 1, "insert_numbered": 2, "delete_batch": 1,
    "update_batch": 1, "delete_row": 1,
}  # fmt: skip
"""The functions of the kernel that write, and which argument is the table."""

ENGINES = {"sqlite", "postgres"}

OF_ONE_ENGINE = ("mujina.migrations", "mujina.kernel.db.postgres.", "mujina.backups.", "mujina.testing.states.")
"""What these say to an engine is not for the other."""

WHOLE = re.compile(r"\s*(?:--[^\n]*\n\s*)*(SELECT|INSERT|UPDATE|DELETE|WITH)\s", re.IGNORECASE)
WRITES = re.compile(r"\b(?:INSERT\s+INTO|UPDATE|DELETE\s+FROM)\s+([a-z_]+)", re.IGNORECASE)


class Text(NamedTuple):
    place: str
    sql: str
    engine: str | None = None
    """The only engine that it is for."""


class Call(NamedTuple):
    """A call of a transaction's verb."""

    place: str
    file: str
    first_line: int
    last_line: int
    sql: str | None
    """None: the text is composed when it is called."""


@cache
def texts() -> list[Text]:
    """Whole statements: constants of modules, and what is given to a transaction as a literal or made of constants."""
    found: dict[str, Text] = {}
    for module in _spoken():
        for name, value in vars(importlib.import_module(module.name)).items():
            for text in _constants(f"{module.place}: {name}", value):
                found.setdefault(text.sql, text)
    for call in calls():
        if call.sql is not None:
            found.setdefault(call.sql, Text(call.place, call.sql))
    return list(found.values())


@cache
def calls() -> list[Call]:
    """Every call that gives a transaction a text."""
    return [call for module in _spoken() for call in _calls(module)]


def _constants(place: str, value: Any) -> Iterator[Text]:
    """The statement that the constant is, or those of a dictionary that has one for each engine."""
    if isinstance(value, str) and WHOLE.match(value):
        yield Text(place, value)
    elif isinstance(value, dict):
        inner = cast("dict[Any, Any]", value)
        for key in ENGINES & inner.keys():
            if isinstance(inner[key], str) and WHOLE.match(inner[key]):
                yield Text(place, inner[key], key)
        for each in inner.values():
            if isinstance(each, dict):
                yield from _constants(place, each)


def _spoken() -> list[Module]:
    """The modules whose texts are for both engines."""
    return [
        module
        for module in modules().values()
        if not module.name.startswith(OF_ONE_ENGINE) and not module.name.endswith((".tables", "__main__"))
    ]


def _calls(module: Module) -> Iterator[Call]:
    live = importlib.import_module(module.name)
    for call in module.nodes:
        if (
            isinstance(call, ast.Call)
            and isinstance(call.func, ast.Attribute)
            and call.func.attr in VERBS
            and len(call.args) > VERBS[call.func.attr]
            and not isinstance(_evaluated(call.func.value, live), ModuleType)  # `git.run`
        ):
            place, lines = f"{module.place}:{call.lineno}", (call.lineno, call.end_lineno or call.lineno)
            for known in _known(call.args[VERBS[call.func.attr]], live):
                yield Call(place, str(module.path), *lines, known)


def _known(expression: ast.expr, live: ModuleType) -> list[str | None]:
    """The statements that the expression may be, one of a dictionary of the module included; None if it is composed."""
    table = _evaluated(expression.value, live) if isinstance(expression, ast.Subscript) else None
    values = cast("dict[Any, Any]", table).values() if isinstance(table, dict) else [_evaluated(expression, live)]
    whole = [value for value in values if isinstance(value, str) and WHOLE.match(value)]
    return [*whole] if len(whole) == len(values) else [None]


def _evaluated(expression: ast.expr, live: ModuleType) -> object:
    """The value of an expression over constants of its module; None where it is made from what a request says."""
    if not isinstance(expression, ast.Constant | ast.JoinedStr | ast.BinOp | ast.Name | ast.Attribute):
        return None
    try:
        return eval(compile(ast.Expression(expression), live.__name__, "eval"), dict(vars(live)))
    except (NameError, AttributeError):
        return None


def written_tables(module: Module) -> Iterator[str]:
    """The tables a module inserts into, updates or deletes from."""
    for node in module.nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from (name.lower() for name in WRITES.findall(node.value) if name.lower() in owners())
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in TABLE_ARGUMENTS:
            table = node.args[TABLE_ARGUMENTS[node.func.id]]
            assert isinstance(table, ast.Constant), f"{module.place}:{node.lineno} names its table by a literal"
            yield str(table.value)


@cache
def owners() -> dict[str, str]:
    """Each table and the package whose `tables.py` declares it."""
    return {
        node.args[0].value: module.name.rpartition(".")[0]
        for module in modules().values()
        if module.name.endswith(".tables")
        for node in module.nodes
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("table", "link_table")
        if isinstance(node.args[0], ast.Constant) and isinstance(node.args[0].value, str)
    }
