"""Limits: a dozen files in a folder, 400 lines in a file, 40 lines in a function, a dozen statements in a route."""

import ast
import re
from collections import Counter
from pathlib import Path

from tests.architecture.source import modules

MAX_FILE_LINES = 400
MAX_FILES = 12
MAX_FUNCTION_LINES = 40
MAX_ROUTE_STATEMENTS = 12
MAX_POSITIONAL_VALUES = 5

CLASS = re.compile(r"cls$|_?[A-Z]\w*[a-z]")
TEST = re.compile(r"^(?:async )?def (?P<name>test_\w+).*\n(?:[ )].*\n|\n)*", re.MULTILINE)
"""A test function up to the next line at the margin: parsing all files would take seconds."""

FUNCTIONS_THAT_MAY_BE_LONGER: dict[str, str] = {}
"""`module:function` → why it is better in one piece. Only functions that are longer may be listed."""

TESTS = Path(__file__).parents[1]

VAGUE_NAMES = {"utils", "helpers", "common", "misc", "base", "manager", "service", "util", "helper"}


def test_no_file_is_too_long():
    long = {module.place: module.text.count("\n") for module in modules().values()}
    assert {place: lines for place, lines in long.items() if lines > MAX_FILE_LINES} == {}


def test_a_folder_with_many_files_is_split_by_noun():
    """`cli/commands` has one file for each command, which is what a reader looks for there."""
    files = Counter(str(Path(module.place).parent) for module in modules().values() if module.path.stem != "__init__")
    del files["mujina/cli/commands"]
    assert {folder: count for folder, count in files.items() if count > MAX_FILES} == {}


def test_no_function_is_too_long_without_a_reason():
    long = {
        f"{module.name}:{node.name}": lines
        for module in modules().values()
        for node in module.nodes
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        if (lines := (node.end_lineno or 0) - node.lineno + 1) > MAX_FUNCTION_LINES
    }
    assert {name: lines for name, lines in long.items() if name not in FUNCTIONS_THAT_MAY_BE_LONGER} == {}
    assert set(FUNCTIONS_THAT_MAY_BE_LONGER) <= set(long), (
        "a function in the list of exceptions has become short: strike it out"
    )


def test_no_test_is_too_long():
    """A test shows one thing, so that its name can say what holds."""
    found = [(file, test) for file in TESTS.rglob("*.py") for test in TEST.finditer(file.read_text())]
    assert len(found) > 2500
    long = {
        f"{file.relative_to(TESTS)}:{test['name']}": lines
        for file, test in found
        if (lines := test[0].rstrip().count("\n") + 1) > MAX_FUNCTION_LINES
    }
    assert long == {}


def test_no_route_holds_more_than_a_dozen_statements():
    """A handler checks, calls an operation and answers; a decision that needs more belongs to an operation."""
    long = {
        f"{module.name}:{node.name}": statements
        for module in modules().values()
        if module.slice is not None and module.path.stem == "routes"
        for node in module.tree.body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.decorator_list
        if (statements := sum(isinstance(inner, ast.stmt) for inner in ast.walk(node)) - 1) > MAX_ROUTE_STATEMENTS
    }
    assert long == {}


def test_a_name_says_what_is_inside():
    for module in modules().values():
        assert module.path.stem not in VAGUE_NAMES, module.place
        assert module.path.parent.name not in VAGUE_NAMES, module.place


def test_a_package_holds_no_code_of_its_own():
    """A chapter has one line that introduces it; every other package is empty."""
    for module in modules().values():
        if module.path.name != "__init__.py":
            continue
        if module.name.split(".")[1:] == [module.chapter]:
            assert re.fullmatch(r'""".+\."""\n', module.text), f"{module.place}: one line about the chapter"
        else:
            assert not module.text.strip(), f"{module.place} is not empty"


def test_no_value_with_many_fields_is_built_by_position():
    """A reader cannot tell the sixth of many values from the seventh, and neither can a type checker if both are texts."""
    built = [
        f"{module.place}:{node.lineno} {ast.unparse(node.func)}"
        for module in modules().values()
        for node in module.nodes
        if isinstance(node, ast.Call) and len(node.args) > MAX_POSITIONAL_VALUES
        if CLASS.match(name := ast.unparse(node.func).rpartition(".")[2]) and name != "Chapter"  # it takes any number
    ]
    assert built == []
