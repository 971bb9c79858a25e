"""JSON schemas of what routes answer, made from the return types of their handlers."""

import types
from collections.abc import Iterable, Mapping
from typing import Any, Union, get_args, get_origin

import msgspec
from msgspec import UnsetType
from msgspec.inspect import StructType, Type
from msgspec.structs import FieldInfo

from mujina.kernel.http import JsonResponse, Response
from mujina.kernel.paging import Paged

Schema = dict[str, Any]

TEMPLATE = "#/components/schemas/{name}"


def bodies_of(returned: Any) -> list[Any]:
    """The types a JSON body may have: `Paged[X]` is a list of X; nothing for `None` and for a bare `Response`."""
    if get_origin(returned) in (Union, types.UnionType):
        return [body for option in get_args(returned) for body in bodies_of(option)]
    if returned in (None, type(None), Response):
        return []
    if returned is Paged:
        return [list[Any]]
    if get_origin(returned) is Paged:
        return [list[get_args(returned)[0]]]
    return [get_args(returned)[0]] if get_origin(returned) is JsonResponse else [returned]


def is_raw(returned: Any) -> bool:
    """Whether the body is of another content type than JSON: a file, an archive, plain text."""
    return returned is Response


def schemas_of(returned: Iterable[Any]) -> tuple[list[Schema | None], dict[str, Schema]]:
    """A schema for each return type, None where there is no JSON body, and the components to which they refer."""
    groups = [bodies_of(each) for each in returned]
    wanted = [body for group in groups for body in group]
    schemas, components = msgspec.json.schema_components(wanted, schema_hook=_custom, ref_template=TEMPLATE)
    for struct in _structs(msgspec.inspect.multi_type_info(wanted)):
        _state_presence(struct, components)
    made = iter(schemas)
    return [_any_of([next(made) for _ in group]) for group in groups], components


def _any_of(schemas: list[Schema]) -> Schema | None:
    distinct = [schema for n, schema in enumerate(schemas) if schema not in schemas[:n]]
    if len(distinct) < 2:
        return distinct[0] if distinct else None
    return {"anyOf": distinct}


def _custom(_kind: type) -> Schema:
    """A type that msgspec does not know may be any JSON."""
    return {}


def _state_presence(struct: StructType, components: Mapping[str, Schema]) -> None:
    """A response carries every field, those with a default included; only what may be UNSET may be left out."""
    name = struct.cls.__name__
    schema = components.get(name) or components[f"{struct.cls.__module__}.{struct.cls.__qualname__}"]
    if "properties" not in schema:
        return
    schema["required"] = [
        field.encode_name for field in msgspec.structs.fields(struct.cls) if _always_present(struct.cls, field)
    ]
    for declared in schema["properties"].values():
        declared.pop("default", None)


def _always_present(struct: type[msgspec.Struct], field: FieldInfo) -> bool:
    if struct.__struct_config__.omit_defaults and not field.required:
        return False
    return field.type is not UnsetType and UnsetType not in get_args(field.type)


def _structs(infos: Iterable[Type]) -> Iterable[StructType]:
    """Every struct inside these types, each once."""
    found: dict[type, StructType] = {}
    pending = list(infos)
    while pending:
        info = pending.pop()
        if isinstance(info, StructType):
            if info.cls not in found:
                found[info.cls] = info
                pending += [field.type for field in info.fields]
            continue
        pending += getattr(info, "types", ())
        for inner in ("item_type", "key_type", "value_type", "type"):
            if (held := getattr(info, inner, None)) is not None:
                pending.append(held)
        pending += getattr(info, "item_types", ())
    return found.values()
