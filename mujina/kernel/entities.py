"""Showing a row: what is stored under the name it is shown by is taken as it stands, the rest is said."""

from functools import cache
from typing import Any, TypeVar

import msgspec

Entity = TypeVar("Entity", bound=msgspec.Struct)


def shown(kind: type[Entity], row: msgspec.Struct, **said: Any) -> Entity:
    """The entity, from the row's fields of the same names and from what is said here, which goes first."""
    taken = {name: getattr(row, name) for name in _shared(kind, type(row)) if name not in said}
    return kind(**taken, **said)


@cache
def _shared(kind: type[msgspec.Struct], row: type[msgspec.Struct]) -> tuple[str, ...]:
    return tuple(name for name in kind.__struct_fields__ if name in row.__struct_fields__)
