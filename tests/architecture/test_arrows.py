"""The arrow law: `app, cli` → doors → `operations, filters, entities` → `rules, params` → `kernel`."""

import ast
from graphlib import CycleError, TopologicalSorter

import pytest

from tests.architecture.source import CHAPTERS, Module, modules

KERNEL, ADAPTER, RULES, WORK, DOORS, ROOT = range(6)

IN_A_SLICE = {
    "routes": DOORS, "pages": DOORS, "jobs": DOORS,
    "operations": WORK, "filters": WORK, "entities": WORK,
    "rules": RULES, "access": RULES, "params": RULES, "tables": RULES,
}  # fmt: skip

MAY_CALL_OUT = ("operations", "jobs")
"""The files of a slice that may use adapters; `reactions`, `code/pushes` and `git/` may, and what is above the doors wires them."""


def layer(module: Module) -> int:
    """How high a module stands: it may import what stands lower, or beside it."""
    match module.name.split("."):
        case (
            ["mujina", "reactions" | "removals"]
            | ["mujina", "web", *_]
            | ["mujina", "git", "smart_http" | "ssh" | "lfs"]
        ):
            return DOORS
        case ["mujina", "git", *_]:  # what the protocols of git share
            return WORK
        case ["mujina", chapter, _, *inner] if chapter in CHAPTERS:
            return next((IN_A_SLICE[name] for name in inner if name in IN_A_SLICE), WORK)
        case ["mujina", "adapters", *_]:
            return ADAPTER
        case ["mujina", "kernel" | "settings" | "configuration" | "build", *_]:
            return KERNEL
        case _:
            return ROOT


@pytest.mark.parametrize("module", modules().values(), ids=list(modules()))
def test_imports_go_down(module):
    upward = [name for name in module.imported() if layer(modules()[name]) > layer(module)]
    assert upward == [], f"{module.place} looks up to {upward}"


def test_a_chapter_imports_only_from_those_before_it():
    backward = [
        f"{module.place} imports {name}"
        for module in modules().values()
        if module.chapter is not None
        for name in module.imported()
        if (other := modules()[name].chapter) is not None and CHAPTERS.index(other) > CHAPTERS.index(module.chapter)
    ]
    assert backward == []


def test_nothing_imports_in_a_circle():
    try:
        TopologicalSorter({name: set(module.imported()) for name, module in modules().items()}).prepare()
    except CycleError as circle:
        pytest.fail(" → ".join(circle.args[1]))


def test_a_door_is_opened_by_its_own_slice_or_from_above():
    for module in modules().values():
        for name in module.imported():
            door = modules()[name]
            if layer(door) == DOORS == layer(module):
                assert name.split(".")[:3] == module.name.split(".")[:3], f"{module.place} reaches through {name}"


def test_only_operations_jobs_reactions_and_git_reach_the_world_outside():
    for module in modules().values():
        if layer(module) in (ADAPTER, ROOT) or module.name.startswith(
            ("mujina.git.", "mujina.code.pushes.", "mujina.reactions", "mujina.removals")
        ):
            continue
        if module.slice is not None and module.name.split(".")[3] in MAY_CALL_OUT:
            continue
        outside = [name for name in module.imported() if layer(modules()[name]) == ADAPTER]
        assert outside == [], f"{module.place} reaches {outside}"


def test_operations_do_not_know_how_things_are_shown():
    for module in modules().values():
        if module.name.endswith(".operations"):
            assert not [name for name in module.imported() if name.endswith(".entities")], module.place


def test_tables_are_read_by_the_schema_alone():
    """SQLAlchemy costs a start dearly: what serves requests never imports it."""
    for module in modules().values():
        if module.name.startswith("mujina.migrations") or module.name.endswith(("tables", "kernel.db.schema")):
            continue
        assert not [name for name in module.imported() if name.endswith((".tables", "db.schema"))], module.place


def test_an_import_stands_at_the_top_of_its_file():
    for module in modules().values():
        if module.name == "mujina.kernel.deferred_imports":
            continue
        for function in ast.walk(module.tree):
            if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
                deferred = [n.lineno for n in ast.walk(function) if isinstance(n, ast.Import | ast.ImportFrom)]
                assert deferred == [], (
                    f"{module.place}: import inside a function; defer it in kernel/deferred_imports.py"
                )
