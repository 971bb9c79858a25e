"""The OpenAPI 3.1 document, made from the routes and the parameters they declare: it cannot say what is not served."""

import inspect
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from mujina.kernel.http import Answer, Call, Json
from mujina.kernel.params import Field, Ref, fields_of
from mujina.kernel.routing import READ_USER, Route, get, marked

_PAGE = [
    {"name": "page", "in": "query", "schema": {"type": "integer", "default": 1, "minimum": 1}},
    {"name": "per_page", "in": "query", "schema": {"type": "integer", "default": 20, "minimum": 1, "maximum": 100}},
]
_REFUSALS = {
    400: "A parameter is missing or of the wrong form",
    401: "Not authenticated",
    403: "Not allowed",
    404: "Not found, or not visible to the caller",
}
_SECURITY = {
    "private_token": {"type": "apiKey", "in": "header", "name": "Private-Token"},
    "bearer": {"type": "http", "scheme": "bearer"},
}


def document(routes: Iterable[Route], version: str) -> dict[str, Any]:
    """Every route that is served, with what it takes."""
    paths: dict[str, dict[str, Any]] = {}
    for route in routes:
        paths.setdefault(_template(route), {})[route.verb.lower()] = _operation(route)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Mujina", "version": version, "summary": "REST API v4"},
        "servers": [{"url": "/api/v4"}],
        "paths": paths,
        "components": {
            "securitySchemes": _SECURITY,
            "schemas": {"Refusal": {"type": "object", "properties": {"message": {}, "error": {}}}},
        },
    }


def _template(route: Route) -> str:
    return "".join(f"/{{{part[1:]}}}" if part.startswith(":") else f"/{part}" for part in route.segments)


def _operation(route: Route) -> dict[str, Any]:
    fields = [field for kind in route.params.values() for field in fields_of(kind)]
    asks = route.verb in ("GET", "DELETE")
    operation: dict[str, Any] = {
        "operationId": f"{route.name}_{_distinct(route)}",
        "summary": inspect.getdoc(route.handler) or route.name.replace("_", " ").capitalize(),
        "tags": [route.handler.__module__.split(".")[-2]],
        "parameters": [*_captures(route), *([_in_query(field) for field in fields] if asks else [])],
        "responses": _responses(route),
        "security": [{"private_token": []}, {"bearer": []}, *([{}] if route.anonymous else [])],
    }
    if route.paged:
        operation["parameters"] += _PAGE
    if fields and not asks:
        operation["requestBody"] = {"content": {kind: {"schema": _schema(fields)} for kind in _kinds(fields)}}
    return operation


def _distinct(route: Route) -> str:
    """Several paths may share a handler; an operation has an id of its own."""
    return "_".join(part.strip(":-") for part in route.segments if part.strip(":-"))


def _captures(route: Route) -> list[dict[str, Any]]:
    return [{"name": n, "in": "path", "required": True, "schema": _capture(k)} for n, k in route.captures.items()]


def _capture(kind: type) -> dict[str, Any]:
    if kind is Ref:
        return {"type": "string", "description": "the id, or the full path with / written as %2F"}
    return {"type": "integer"} if issubclass(kind, int) else {"type": "string"}


def _in_query(field: Field) -> dict[str, Any]:
    array = field.form.schema.get("type") == "array"
    name = f"{field.name}[]" if array else field.name
    style = {"style": "deepObject"} if field.form.schema.get("type") == "object" else {}
    return {"name": name, "in": "query", "required": field.required, "schema": dict(field.form.schema), **style}


def _schema(fields: list[Field]) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "object", "properties": {f.name: dict(f.form.schema) for f in fields}}
    if required := [f.name for f in fields if f.required]:
        schema["required"] = required
    return schema


def _kinds(fields: list[Field]) -> list[str]:
    if any(field.form.schema.get("format") == "binary" for field in fields):
        return ["multipart/form-data"]
    return ["application/json", "application/x-www-form-urlencoded", "multipart/form-data"]


def _responses(route: Route) -> dict[str, Any]:
    body: dict[str, Any] = {} if route.status == 204 else {"content": {"application/json": {"schema": {}}}}
    refused = {"application/json": {"schema": {"$ref": "#/components/schemas/Refusal"}}}
    refusals = {str(status): {"description": text, "content": refused} for status, text in _REFUSALS.items()}
    return {str(route.status): {"description": "Done", **body}, **refusals}


def openapi_routes(routes: list[Route], version: str) -> list[Route]:
    """The document at `/openapi.json` and the page that reads it at `/docs`, for everybody."""
    told = cache(lambda: Answer(document(routes, version)))  # written when first asked for: no start pays for it
    page = Answer(Path(__file__).with_name("openapi.html").read_bytes(), content_type="text/html; charset=utf-8")

    @get("/openapi.json", anonymous=True, scopes=READ_USER)
    async def show_openapi(_call: Call) -> Json:
        return told()

    @get("/docs", anonymous=True, scopes=READ_USER)
    async def show_docs(_call: Call) -> Json:
        return page

    return marked(show_openapi) + marked(show_docs)
