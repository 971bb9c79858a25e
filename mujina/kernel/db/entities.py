"""Entities: each field is declared once, in the struct that becomes JSON; its value is the column of its name.

    class Issue(msgspec.Struct, kw_only=True):
        title: str                                      # the column of that name
        due_date: Annotated[str | None, "i.due_on"]     # any other expression
        web_url: Computed[str]                          # no column
        labels: list[str]                               # a list or another struct is never a column
        subscribed: bool | UnsetType = UNSET            # nor is a field that some responses leave out

    class IssueView(Row, alias="i", of=Issue): ...

The row reads every column of the entity, and `to_entity(Issue, row, web_url=…, labels=…)` makes the entity of it.
"""

from collections.abc import Callable
from functools import cache
from inspect import signature
from types import NoneType, UnionType
from typing import Annotated, Any, Final, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec import NODEFAULT

from mujina.kernel.permissions.rules import Rule

T = TypeVar("T")
Entity = TypeVar("Entity", bound=msgspec.Struct)

_COMPUTED: Final = object()
Computed = Annotated[T, _COMPUTED]
"""A field that no column of its name holds."""
_PLAIN: Final = {str, int, float, bool, NoneType}


def to_entity(kind: type[Entity], row: msgspec.Struct, **values: Any) -> Entity:
    """The entity, from the row's fields of the same names and from `values`, which take precedence."""
    return entity_maker(kind, type(row), *values)(row, **values)


@cache
def entity_maker(kind: type[Entity], row: type[msgspec.Struct], *given: str) -> Callable[..., Entity]:
    """A function that makes the entity from such a row, for lists: it takes no longer than naming each field would.

    It takes by keyword what the row lacks and what is `given`; fields that have a default may be left out.
    """
    passed: dict[str, Any] = {
        field.name: field.default
        for field in msgspec.structs.fields(kind)
        if field.name in given or field.name not in row.__struct_fields__
    }
    params = ", ".join(
        name if default is NODEFAULT else f"{name}=defaults[{name!r}]" for name, default in passed.items()
    )
    sources = {name: name if name in passed else f"row.{name}" for name in kind.__struct_fields__}
    # With many fields, keywords would take twice as long.
    fields = ", ".join(
        source if param.kind is param.POSITIONAL_OR_KEYWORD else f"{param.name}={source}"
        for param in signature(kind).parameters.values()
        for source in [sources[param.name]]
    )
    source = f"lambda row, *, {params}: kind({fields})" if passed else f"lambda row: kind({fields})"
    return eval(source, {"kind": kind, "defaults": passed})  # noqa: S307 - made of names of fields, as dataclasses does


def columns_of(kind: type[msgspec.Struct]) -> dict[str, Any]:
    """The fields of the entity that are columns, and their annotations."""
    hints = get_type_hints(kind, include_extras=True)
    return {field.name: hints[field.name] for field in msgspec.structs.fields(kind) if _is_column(field, hints)}


def _is_column(field: msgspec.structs.FieldInfo, hints: dict[str, Any]) -> bool:
    hint = hints[field.name]
    if get_origin(hint) is Annotated:
        return any(isinstance(part, str | Rule) for part in get_args(hint)[1:])
    types = set(get_args(hint)) if get_origin(hint) in (Union, UnionType) else {hint}
    return field.required and types <= _PLAIN and types != {NoneType}
