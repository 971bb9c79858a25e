"""Imports go one way.

`app, cli` → manifests → entry points → `operations, filters, entities` → `rules, params` → `rendering` → `kernel`
"""

import ast
import re
from graphlib import CycleError, TopologicalSorter

import pytest

from tests.architecture.source import CHAPTERS, Module, modules

KERNEL, ADAPTER, RENDERING, RULES, OPERATIONS, ENTRY_POINT, ROOT = range(7)

LAYER_BY_FILE = {
    "routes": ENTRY_POINT, "pages": ENTRY_POINT, "tasks": ENTRY_POINT,
    "operations": OPERATIONS, "filters": OPERATIONS, "entities": OPERATIONS,
    "rules": RULES, "access": RULES, "params": RULES, "kinds": RULES, "tables": RULES,
}  # fmt: skip

INDENTED_IMPORT = re.compile(r"^[ \t;]+(?:from|import)\b", re.MULTILINE)

MAY_CALL_OUT = ("operations", "tasks")
"""The files of a noun that may use adapters. `code/pushes` and `git/` may as well."""


def layer(module: Module) -> int:
    """The layer of a module: it may import from its own layer and from lower ones."""
    match module.name.split("."):
        case ["mujina", "web", "application" | "health" | "uploads"] | ["mujina", "git", "smart_http" | "ssh"]:
            return ENTRY_POINT
        case ["mujina", "git", "lfs", "endpoint"]:
            return ENTRY_POINT
        case ["mujina", _, "manifest"] | ["mujina", *_, "commands"]:
            return ROOT
        case ["mujina", "git" | "web", *_]:  # what the protocols of git share, and what all pages share
            return OPERATIONS
        case ["mujina", chapter, _, *inner] if chapter in CHAPTERS:
            return next((LAYER_BY_FILE[name] for name in inner if name in LAYER_BY_FILE), OPERATIONS)
        case ["mujina", "rendering", *_]:  # knows no noun: slices describe what texts may name
            return RENDERING
        case ["mujina", "adapters", *_]:
            return ADAPTER
        case ["mujina", "kernel" | "settings" | "directory_settings" | "configuration" | "build", *_]:
            return KERNEL
        case _:
            return ROOT


def test_imports_go_down():
    upward = [
        f"{module.place} imports {name}"
        for module in modules().values()
        for name in module.imported()
        if layer(modules()[name]) > layer(module)
    ]
    assert upward == []


def test_a_chapter_imports_only_from_those_before_it():
    backward = [
        f"{module.place} imports {name}"
        for module in modules().values()
        if module.chapter is not None
        for name in module.imported()
        if (other := modules()[name].chapter) is not None and CHAPTERS.index(other) > CHAPTERS.index(module.chapter)
    ]
    assert backward == []


def test_no_imports_form_a_cycle():
    try:
        TopologicalSorter({name: set(module.imported()) for name, module in modules().items()}).prepare()
    except CycleError as cycle:
        pytest.fail(" → ".join(cycle.args[1]))


def test_an_entry_point_is_imported_by_its_own_noun_or_from_above():
    for module in modules().values():
        for name in module.imported():
            other = modules()[name]
            if layer(other) == ENTRY_POINT == layer(module):
                assert name.split(".")[:3] == module.name.split(".")[:3], f"{module.place} imports {name}"


def test_only_operations_tasks_and_git_use_adapters():
    for module in modules().values():
        if layer(module) in (ADAPTER, ROOT) or module.name.startswith(("mujina.git.", "mujina.code.pushes.")):
            continue
        if module.slice is not None and module.path.stem in MAY_CALL_OUT:
            continue
        adapters = [name for name in module.imported() if layer(modules()[name]) == ADAPTER]
        assert adapters == [], f"{module.place} imports {adapters}"


def test_operations_do_not_import_entities():
    for module in modules().values():
        if module.name.endswith(".operations"):
            assert not [name for name in module.imported() if name.endswith(".entities")], module.place


def test_only_migrations_import_tables():
    """A server is installed without SQLAlchemy."""
    for module in modules().values():
        if module.name.startswith("mujina.migrations") or module.name.endswith("tables"):
            continue
        assert not [name for name in module.imported() if name.endswith((".tables", "db.ddl"))], module.place


def test_an_import_stands_at_the_top_of_its_file():
    for module in modules().values():
        if module.name == "mujina.kernel.deferred_imports" or not INDENTED_IMPORT.search(module.text):
            continue
        for function in module.nodes:
            if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
                deferred = [n.lineno for n in ast.walk(function) if isinstance(n, ast.Import | ast.ImportFrom)]
                assert deferred == [], (
                    f"{module.place}: import inside a function; defer it in kernel/deferred_imports.py"
                )


def test_the_filters_of_a_noun_are_in_its_filters_file():
    """Where `docs/add-an-endpoint.md` says that they are. What several nouns share builds its tables from theirs."""
    assert [
        module.place
        for module in modules().values()
        if module.path.stem != "filters" and re.search(r"^\w+: .*\bFilters\b", module.text, re.MULTILINE)
    ] == []


def test_the_services_of_an_instance_are_opened_with_its_key():
    """`build_services` makes a key without a look at the database."""
    callers = {module.place for module in modules().values() if "build_services(" in module.text}
    assert callers == {"mujina/app.py"}
