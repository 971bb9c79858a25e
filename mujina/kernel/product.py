"""The product, composed once from its chapters.

A chapter knows those before it. What it leaves to later ones it declares as an extension point, which their manifests fill:

    NOTEABLE_KINDS: Final = ExtensionPoint[NoteableKind]("what people comment on")    # planning/noteables/kinds.py
    CHAPTER: Final = Chapter("mujina.review", NOTEABLE_KINDS.of(MERGE_REQUEST))       # review/manifest.py
    kinds = tx.product.all(NOTEABLE_KINDS)                                            # wherever they are used

`mujina/product.py` lists the chapters. `services.product` and `tx.product` are the composed product.
"""

from collections.abc import Sequence
from functools import cached_property
from importlib import import_module
from os import walk
from types import ModuleType
from typing import Any, Generic, Literal, NamedTuple, TypeVar, cast, get_args

Extension = TypeVar("Extension")

FoundFile = Literal["routes", "pages", "tasks"]
"""The files of slices that are found by their names: no manifest lists them."""


class ExtensionPoint(Generic[Extension]):
    """A list that chapters fill; the module that reads it declares it."""

    def __init__(self, name: str) -> None:
        self.name = name

    def of(self, *extensions: Extension) -> "Extensions":
        """Returns these values as a part of a manifest."""
        return Extensions(self, extensions)

    def __repr__(self) -> str:
        return f"<extension point: {self.name}>"


class Extensions(NamedTuple):
    """The values that one chapter adds to one extension point."""

    point: ExtensionPoint[Any]
    added: Sequence[Any]


class Chapter:
    """A package of the product, and what it adds to extension points."""

    def __init__(self, package: str, *extensions: Extensions) -> None:
        self.package = package
        self.extensions = extensions

    def modules(self, name: FoundFile) -> list[ModuleType]:
        """The modules of this name in the slices of the chapter, in alphabetical order."""
        found = sorted(path for path, files in self._folders.items() if f"{name}.py" in files)
        return [import_module(f"{self.package}{path.replace('/', '.')}.{name}") for path in found]

    @cached_property
    def _folders(self) -> dict[str, list[str]]:
        """The names of the files of each folder, by its path below the package."""
        folder = import_module(self.package).__path__[0]
        return {path[len(folder) :]: files for path, _, files in walk(folder)}


def find_chapter(package: str) -> Chapter:
    """The `CHAPTER` of the manifest of this package."""
    return import_module(f"{package}.manifest").CHAPTER


class Product:
    """Everything that the chapters have, in the order of the chapters."""

    def __init__(self, chapters: Sequence[Chapter]) -> None:
        self.chapters = chapters
        self._extensions: dict[ExtensionPoint[Any], tuple[Any, ...]] = {}
        for chapter in chapters:
            for point, added in chapter.extensions:
                self._extensions[point] = (*self._extensions.get(point, ()), *added)

    def all(self, point: ExtensionPoint[Extension]) -> tuple[Extension, ...]:
        """The values that the chapters added to this point."""
        return cast("tuple[Extension, ...]", self._extensions.get(point, ()))

    def modules(self, name: FoundFile) -> list[ModuleType]:
        """The modules of this name in the slices of all chapters."""
        return [module for chapter in self.chapters for module in chapter.modules(name)]

    def load(self) -> None:
        """Import all these modules, so that processes that are forked from this one share them."""
        for name in get_args(FoundFile):
            self.modules(name)
