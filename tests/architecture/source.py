"""The modules of the package, parsed once for all architecture tests."""

import ast
import gc
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

ROOT = Path(__file__).parents[2]

CHAPTERS = (
    "instance",
    "accounts",
    "workspaces",
    "code",
    "planning",
    "review",
    "publishing",
    "ci",
    "integrations",
    "activity",
    "replication",
    "administration",
    "moving",
)
"""The chapters of the product, in order: each imports only from those before it."""


@dataclass(frozen=True, eq=False)
class Module:
    name: str
    path: Path
    text: str
    tree: ast.Module

    @property
    def place(self) -> str:
        """Its path in the repository, for messages."""
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

    @cached_property
    def nodes(self) -> list[ast.AST]:
        """Every node of the tree: walking it takes longer than looking at each."""
        return list(ast.walk(self.tree))

    @cache  # noqa: B019 - modules are read once and kept
    def imported(self) -> list[str]:
        """The modules of the package that this one imports, at the top or inside functions."""
        known = modules()
        found: list[str] = []
        for node in self.nodes:
            if isinstance(node, ast.Import):
                found += [alias.name for alias in node.names if alias.name in known]
            elif isinstance(node, ast.ImportFrom):
                origin = node.module or ""
                for alias in node.names:
                    inner = f"{origin}.{alias.name}"
                    found += [inner] if inner in known else [origin] if origin in known else []
        return found


@cache
def modules() -> dict[str, Module]:
    """Every module of the package by its dotted name."""
    found: dict[str, Module] = {}
    gc.disable()  # a million objects that stay: looking for garbage among them would take longer than parsing
    for path in sorted((ROOT / "mujina").rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        text = path.read_text()
        found[name] = Module(name, path, text, ast.parse(text, str(path)))
    gc.freeze()
    gc.enable()
    return found
