"""What fits on a screen and in the head: files of at most 400 lines, functions of at most 40."""

import ast

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


def test_a_package_is_a_folder_and_nothing_more():
    assert [m.place for m in modules().values() if m.path.name == "__init__.py" and m.text.strip()] == []
