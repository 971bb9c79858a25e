"""JSON schemas of what routes answer, made from the return types of their handlers.

msgspec makes schemas too, but only of types that it can decode: several structs in one union it cannot tell apart.
"""

import inspect
import types
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import msgspec
from msgspec import UnsetType
from msgspec.structs import FieldInfo

from mujina.kernel.http.dispatcher import JsonResponse, Response
from mujina.kernel.http.paging import Paged

Schema = dict[str, Any]

_SCALARS: Mapping[Any, Schema] = {
    str: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number"},
    type(None): {"type": "null"},
}


def bodies_of(returned: Any) -> list[Any]:
    """The types a JSON body may have: `Paged[X]` is a list of X; none for `None` and for a bare `Response`."""
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


class Schemas:
    """The schemas of types; structs are components, to which the others refer."""

    def __init__(self) -> None:
        self.components: dict[str, Schema] = {}
        self._names: dict[type, str] = {}

    def of_body(self, returned: Any) -> Schema | None:
        """The schema of a handler's JSON body; None if it has none."""
        bodies = bodies_of(returned)
        return _any_of([self.of(body) for body in bodies]) if bodies else None

    def of(self, kind: Any) -> Schema:
        """The schema of a type; a type that is not known here may be any JSON."""
        if kind in _SCALARS:
            return dict(_SCALARS[kind])
        origin, args = get_origin(kind), get_args(kind)
        if origin is Annotated:
            return self.of(args[0])
        if origin is Literal:
            return {"enum": list(args)}
        if origin in (Union, types.UnionType):
            return _any_of([self.of(option) for option in args if option is not UnsetType])
        if isinstance(origin or kind, type):
            return self._of_class(origin or kind, args, kind)
        return {}

    def _of_class(self, kind: type, args: tuple[Any, ...], declared: Any) -> Schema:
        if issubclass(kind, msgspec.Struct):
            return {"$ref": f"#/components/schemas/{self._component(kind, declared)}"}
        if issubclass(kind, Mapping):
            return {"type": "object", "additionalProperties": self.of(args[1]) if args else {}}
        if issubclass(kind, tuple) and args and args[-1] is not Ellipsis:
            return {"type": "array", "prefixItems": [self.of(each) for each in args]}
        if issubclass(kind, Sequence | set | frozenset):
            return {"type": "array", "items": self.of(args[0]) if args else {}}
        return {}

    def _component(self, kind: type[msgspec.Struct], declared: Any) -> str:
        if kind not in self._names:
            plain = kind.__name__
            taken = plain in self.components
            name = self._names[kind] = f"{kind.__module__.split('.')[-2]}.{plain}" if taken else plain
            self.components[name] = {}  # a struct may contain itself
            self.components[name] = self._struct(kind, declared)
        return self._names[kind]

    def _struct(self, kind: type[msgspec.Struct], declared: Any) -> Schema:
        """A response carries every field, those with a default included; only a field that may be UNSET is optional."""
        fields = msgspec.structs.fields(declared)
        described = {"description": inspect.cleandoc(kind.__doc__)} if kind.__doc__ else {}
        properties = {field.encode_name: self.of(field.type) for field in fields}
        required = [field.encode_name for field in fields if _always_present(kind, field)]
        return {"title": kind.__name__, **described, "type": "object", "properties": properties, "required": required}


def _any_of(options: list[Schema]) -> Schema:
    distinct = [option for n, option in enumerate(options) if option not in options[:n]]
    return distinct[0] if len(distinct) == 1 else {"anyOf": distinct}


def _always_present(struct: type[msgspec.Struct], field: FieldInfo) -> bool:
    if struct.__struct_config__.omit_defaults and not field.required:
        return False
    kind = get_args(field.type)[0] if get_origin(field.type) is Annotated else field.type
    return kind is not UnsetType and UnsetType not in get_args(kind)
