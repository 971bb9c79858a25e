"""Entities from rows: fields of the same name are copied, the others are passed."""

from functools import cache
from typing import Any, TypeVar

import msgspec

Entity = TypeVar("Entity", bound=msgspec.Struct)


def shown(kind: type[Entity], row: msgspec.Struct, **values: Any) -> Entity:
    """The entity, from the row's fields of the same names and from `values`, which take precedence."""
    taken = {name: getattr(row, name) for name in _shared(kind, type(row)) if name not in values}
    return kind(**taken, **values)


@cache
def _shared(kind: type[msgspec.Struct], row: type[msgspec.Struct]) -> tuple[str, ...]:
    return tuple(name for name in kind.__struct_fields__ if name in row.__struct_fields__)
