"""What fits on a screen and in the head: files of at most 400 lines, functions of at most 40."""

import ast
import re

from tests.architecture.source import modules

LONGEST_FILE = 400
LONGEST_FUNCTION = 40

LONGER_FUNCTIONS: dict[str, str] = {}
"""`module:function` → why it is better in one piece. Nothing else may be longer, and what is not longer may not stand here."""

GENERATED = "mujina.migrations.versions."
"""Written by a program, read once, never changed."""

TELLS_NOTHING = {"utils", "helpers", "common", "misc", "base", "manager", "service", "util", "helper"}


def test_no_file_is_too_long():
    long = {m.place: m.text.count("\n") for m in modules().values() if not m.name.startswith(GENERATED)}
    assert {place: lines for place, lines in long.items() if lines > LONGEST_FILE} == {}


def test_no_function_is_too_long_without_a_reason():
    long = {
        f"{module.name}:{node.name}": lines
        for module in modules().values()
        if not module.name.startswith(GENERATED)
        for node in ast.walk(module.tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        if (lines := (node.end_lineno or 0) - node.lineno + 1) > LONGEST_FUNCTION
    }
    assert {name: lines for name, lines in long.items() if name not in LONGER_FUNCTIONS} == {}
    assert set(LONGER_FUNCTIONS) <= set(long), "a function in the list of exceptions has become short: strike it out"


def test_a_name_says_what_is_inside():
    for module in modules().values():
        assert module.path.stem not in TELLS_NOTHING, module.place
        assert module.path.parent.name not in TELLS_NOTHING, module.place


def test_a_package_holds_no_code_of_its_own():
    """A chapter has one line that introduces it; every other package is empty."""
    for module in modules().values():
        if module.path.name != "__init__.py":
            continue
        if module.name.split(".")[1:] == [module.chapter]:
            assert re.fullmatch(r'""".+\."""\n', module.text), f"{module.place}: one line about the chapter"
        else:
            assert not module.text.strip(), f"{module.place} is not empty"
