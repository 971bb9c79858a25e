"""Entities from rows: fields of the same name are copied, the others are passed."""

from collections.abc import Callable
from functools import cache
from operator import attrgetter
from typing import Any, TypeVar

import msgspec

Entity = TypeVar("Entity", bound=msgspec.Struct)


def shown(kind: type[Entity], row: msgspec.Struct, **values: Any) -> Entity:
    """The entity, from the row's fields of the same names and from `values`, which take precedence."""
    names, read = _copied(kind, type(row), tuple(values))
    return kind(**dict(zip(names, read(row), strict=True)), **values)


@cache
def _copied(
    kind: type[msgspec.Struct], row: type[msgspec.Struct], given: tuple[str, ...]
) -> tuple[tuple[str, ...], Callable[[msgspec.Struct], tuple[Any, ...]]]:
    """The names of what is copied, and what reads it from a row, all at once: a project has fifty."""
    names = tuple(name for name in kind.__struct_fields__ if name in row.__struct_fields__ and name not in given)
    if len(names) < 2:
        return names, lambda from_: tuple(getattr(from_, name) for name in names)
    return names, attrgetter(*names)
