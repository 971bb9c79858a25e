"""The OpenAPI 3.1 document, made from the routes and the parameters they declare: it cannot say what is not served."""

import inspect
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from mujina.kernel.http import Call, Json, Response
from mujina.kernel.paging import DEFAULT, MOST
from mujina.kernel.params import Field, Params, Ref, fields_of
from mujina.kernel.routing import Route, get, marked
from mujina.kernel.scopes import READ_USER

_PAGE = [
    {
        "name": "page",
        "in": "query",
        "description": "which page of the list",
        "schema": {"type": "integer", "default": 1, "minimum": 1},
    },
    {
        "name": "per_page",
        "in": "query",
        "description": "how many items a page has",
        "schema": {"type": "integer", "default": DEFAULT, "minimum": 1, "maximum": MOST},
    },
]
_PAGE_HEADERS = {
    "Link": "where the first, last, next and previous page are (RFC 8288)",
    "X-Total": "how many items the whole list has",
    "X-Total-Pages": "how many pages it has",
    "X-Per-Page": "how many items a page has",
    "X-Page": "which page this is",
    "X-Next-Page": "the number of the next page; empty on the last",
    "X-Prev-Page": "the number of the page before; empty on the first",
}
_REFUSALS = {
    "400": "A parameter is missing or of the wrong form",
    "401": "Not authenticated",
    "403": "Not allowed",
    "404": "Not found, or not visible to the caller",
    "default": "Any other refusal: a conflict (409), a body too large (413), what cannot be processed (422)",
}
_SECURITY = {
    "private_token": {"type": "apiKey", "in": "header", "name": "Private-Token"},
    "bearer": {"type": "http", "scheme": "bearer"},
}


def document(routes: Iterable[Route], version: str) -> dict[str, Any]:
    """Every route that is served, with what it takes."""
    paths: dict[str, dict[str, Any]] = {}
    bodies: dict[str, dict[str, Any]] = {}
    for route in routes:
        paths.setdefault(_template(route), {})[route.verb.lower()] = _operation(route)
        if not _asks(route):
            bodies |= {_name(kind): _schema(fields_of(kind)) for kind in route.params.values()}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Mujina", "version": version, "summary": "REST API v4"},
        "servers": [{"url": "/api/v4"}],
        "paths": paths,
        "components": {
            "securitySchemes": _SECURITY,
            "schemas": {"Refusal": {"type": "object", "properties": {"message": {}, "error": {}}}, **bodies},
            "responses": {status: _refusal(text) for status, text in _REFUSALS.items()},
            "headers": {
                name: {"description": text, "schema": {"type": "string"}} for name, text in _PAGE_HEADERS.items()
            },
        },
    }


def _template(route: Route) -> str:
    return "".join(f"/{{{part[1:]}}}" if part.startswith(":") else f"/{part}" for part in route.segments)


def _asks(route: Route) -> bool:
    """Whether its parameters stand in the query."""
    return route.verb in ("GET", "DELETE")


def _operation(route: Route) -> dict[str, Any]:
    fields = [field for kind in route.params.values() for field in fields_of(kind)]
    operation: dict[str, Any] = {
        "operationId": f"{route.name}_{_distinct(route)}",
        "summary": inspect.getdoc(route.handler) or route.name.replace("_", " ").capitalize(),
        "tags": [route.handler.__module__.split(".")[-2]],
        "parameters": [*_captures(route), *([_in_query(field) for field in fields] if _asks(route) else [])],
        "responses": _responses(route),
        "security": [{"private_token": []}, {"bearer": []}, *([{}] if route.anonymous else [])],
    }
    if route.admin:
        operation["description"] = "For administrators."
    if route.paged:
        operation["parameters"] += _PAGE
    if fields and not _asks(route):
        [params] = route.params.values()
        body = {"schema": _reference("schemas", _name(params))}
        operation["requestBody"] = {"content": dict.fromkeys(_kinds(fields), body)}
    return operation


def _name(params: type[Params]) -> str:
    """`issues.EditIssue`: two slices may have parameters of one name."""
    return f"{params.__module__.split('.')[-2]}.{params.__name__}"


def _distinct(route: Route) -> str:
    """Several paths may share a handler, and differ in a lone `-`; an operation has an id of its own."""
    return "_".join(part.removeprefix(":") for part in route.segments)


def _captures(route: Route) -> list[dict[str, Any]]:
    return [{"name": n, "in": "path", "required": True, **_capture(k)} for n, k in route.captures.items()]


def _capture(kind: type) -> dict[str, Any]:
    if kind is Ref:
        return {"schema": {"type": "string"}, "description": "the id, or the full path with / written as %2F"}
    return {"schema": {"type": "integer" if issubclass(kind, int) else "string"}}


def _in_query(field: Field) -> dict[str, Any]:
    array = field.form.schema.get("type") == "array"
    name = f"{field.name}[]" if array else field.name
    style = {"style": "deepObject"} if field.form.schema.get("type") == "object" else {}
    return {"name": name, "in": "query", "required": field.required, "schema": dict(field.form.schema), **style}


def _schema(fields: Iterable[Field]) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "object", "properties": {f.name: dict(f.form.schema) for f in fields}}
    if required := [f.name for f in fields if f.required]:
        schema["required"] = required
    return schema


def _kinds(fields: list[Field]) -> list[str]:
    if any(field.form.schema.get("format") == "binary" for field in fields):
        return ["multipart/form-data"]
    return ["application/json", "application/x-www-form-urlencoded", "multipart/form-data"]


def _responses(route: Route) -> dict[str, Any]:
    done: dict[str, Any] = {"description": "Done"}
    if route.status != 204:
        done["content"] = {"application/json": {"schema": {}}}
    if route.paged:
        done["headers"] = {name: _reference("headers", name) for name in _PAGE_HEADERS}
    return {str(route.status): done, **{status: _reference("responses", status) for status in _REFUSALS}}


def _refusal(text: str) -> dict[str, Any]:
    return {"description": text, "content": {"application/json": {"schema": _reference("schemas", "Refusal")}}}


def _reference(kind: str, name: str) -> dict[str, str]:
    return {"$ref": f"#/components/{kind}/{name}"}


def openapi_routes(routes: list[Route], version: str) -> list[Route]:
    """The document at `/openapi.json` and the page that reads it at `/docs`, for everybody."""
    told = cache(lambda: Response(document(routes, version)))  # written when first asked for: no start pays for it
    page = Response(Path(__file__).with_name("openapi.html").read_bytes(), content_type="text/html; charset=utf-8")

    @get("/openapi.json", anonymous=True, scopes=READ_USER)
    async def show_openapi(_call: Call) -> Json:
        return told()

    @get("/docs", anonymous=True, scopes=READ_USER)
    async def show_docs(_call: Call) -> Json:
        return page

    return marked(show_openapi) + marked(show_docs)
