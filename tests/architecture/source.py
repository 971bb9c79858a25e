"""The source of the house as the architecture tests read it: every module once, parsed."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]

CHAPTERS = ("instance", "accounts", "workspaces", "code", "planning", "review", "activity")
"""The chapters of the product, in order: each imports only from those before it."""


@dataclass(frozen=True, eq=False)
class Module:
    name: str
    path: Path
    text: str
    tree: ast.Module

    @property
    def place(self) -> str:
        """Where it is, for people."""
        return str(self.path.relative_to(ROOT))

    @property
    def slice(self) -> str | None:
        """The noun whose folder this is in: `issues`, or None outside the chapters."""
        parts = self.name.split(".")
        return parts[2] if self.chapter is not None and len(parts) > 3 else None

    @property
    def chapter(self) -> str | None:
        """The chapter it belongs to: `planning`, or None outside the chapters."""
        parts = self.name.split(".")
        return parts[1] if parts[1:2] and parts[1] in CHAPTERS else None

    def imported(self) -> Iterator[str]:
        """Every module of ours that this one imports, wherever the import stands."""
        known = modules()
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names if alias.name in known)
            elif isinstance(node, ast.ImportFrom):
                origin = node.module or ""
                for alias in node.names:
                    inner = f"{origin}.{alias.name}"
                    if inner in known:
                        yield inner
                    elif origin in known:
                        yield origin


@cache
def modules() -> dict[str, Module]:
    """Every module of the package by its dotted name."""
    found: dict[str, Module] = {}
    for path in sorted((ROOT / "mujina").rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        text = path.read_text()
        found[name] = Module(name, path, text, ast.parse(text, str(path)))
    return found
