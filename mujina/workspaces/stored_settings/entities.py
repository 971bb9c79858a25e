"""Objects with the settings that are stored and have no meaning here."""

from collections.abc import Collection, Mapping
from typing import Any, TypeVar, cast

import msgspec
from msgspec import UNSET

Shown = TypeVar("Shown", bound=msgspec.Struct)


def with_settings(entity: type[Shown], names: Collection[str]) -> type[Shown]:
    """The entity with a field for each of these settings; a response leaves out those that are not set."""
    fields = [(name, Any, UNSET) for name in names]
    return cast("type[Shown]", msgspec.defstruct(entity.__name__, fields, bases=(entity,), kw_only=True))


def shown(entity: Shown, kind: type[Shown], settings: Mapping[str, Any]) -> Shown:
    """The entity with these settings; itself if there are none."""
    return kind(**msgspec.structs.asdict(entity), **settings) if settings else entity
