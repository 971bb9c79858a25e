"""The arguments that a page's handler declares: the owner, captures of the path, parameters, the page of a list."""

import inspect
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from mujina.kernel import errors
from mujina.kernel.http import params
from mujina.kernel.http.forms import Tree
from mujina.kernel.http.paging import Page, read_page
from mujina.kernel.http.params import MAX_INTEGER, Params
from mujina.kernel.http.signatures import parameters_of
from mujina.kernel.text.deferred_patterns import deferred_pattern

CAPTURE = deferred_pattern(r"\{(\w+)(?::(int|path))?\}")
"""A part of a path: one segment, a number (`:int`), or everything up to the end (`:path`)."""
CONTAINERS = ("project", "group")
"""Captures that name the project or group of an address: the handler gets its row."""


class Arguments(msgspec.Struct, frozen=True):
    """The names of the handler's arguments, by what they are."""

    container: str | None
    captures: dict[str, type]
    params: dict[str, type[Params]]
    paged: str | None

    def read(self, captured: Mapping[str, str], tree: Tree, row: Any) -> dict[str, Any]:
        """The arguments of one call; 400 for parameters that are not as declared."""
        values: dict[str, Any] = {} if self.container is None else {self.container: row}
        for name, kind in self.captures.items():
            values[name] = _number(captured[name]) if kind is int else captured[name]
        for name, declared in self.params.items():
            values[name] = params.read(declared, tree)
        if self.paged is not None:
            values[self.paged] = read_page(tree)
        return values


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise errors.unknown_route()
    # A number too large to exist names nothing; Python refuses to read one of thousands of digits.
    return min(int(text), MAX_INTEGER) if len(text) < 20 else MAX_INTEGER


def read_arguments(handler: Callable[..., Any], path: str) -> Arguments:
    """The arguments of the handler of the page at `path`; those with a default are for callers within the slice."""
    names = [name for name, _ in CAPTURE.findall(path)]
    container: str | None = None
    paged: str | None = None
    captures: dict[str, type] = {}
    declared: dict[str, type[Params]] = {}
    for name, hint in parameters_of(handler).items():
        if name in CONTAINERS and name in names:
            container = name
        elif name in names:
            captures[name] = hint
        elif hint is Page:
            paged = name
        elif isinstance(hint, type) and issubclass(hint, Params):
            declared[name] = hint
        elif inspect.signature(handler).parameters[name].default is inspect.Parameter.empty:
            raise TypeError(f"{handler.__qualname__}: {name} is neither in {path} nor parameters nor a page")
    return Arguments(container, captures, declared, paged)
