"""The operations of the API in few words, for a page that people read."""

from functools import cache

import msgspec

from mujina.kernel.http.params import Field, fields_of
from mujina.kernel.http.routing import Route, routes_of
from mujina.kernel.openapi.sentences import description_of
from mujina.kernel.product import Product


class OperationParameter(msgspec.Struct, frozen=True):
    name: str
    type: str
    """`string`, `integer`, or its words: `asc, desc`."""
    required: bool


class OperationOutline(msgspec.Struct, frozen=True):
    verb: str
    path: str
    name: str
    description: str
    parameters: list[OperationParameter]
    """The parameters of the query or the body; those of the path are in the path."""


@cache
def outline(product: Product) -> dict[str, list[OperationOutline]]:
    """The operations by noun, in alphabetical order of the nouns."""
    found: dict[str, list[OperationOutline]] = {}
    for route in routes_of(product):
        # The noun whose package the handler is in.
        found.setdefault(route.handler.__module__.split(".")[-2], []).append(_outline(route))
    return dict(sorted(found.items()))


def _outline(route: Route) -> OperationOutline:
    fields = [field for kind in route.params.values() for field in fields_of(kind)]
    return OperationOutline(
        route.verb, f"/api/v4{route.path}", route.name, description_of(route), [_parameter(field) for field in fields]
    )


def _parameter(field: Field) -> OperationParameter:
    schema = field.form.schema
    words = schema.get("enum")
    kind = ", ".join(map(str, words)) if words else str(schema.get("format") or schema.get("type") or "any")
    return OperationParameter(field.name, kind, field.required)
