"""The OpenAPI 3.1 document, made from the routes: from their parameters and from their return types."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

from mujina.kernel.http.bodies import MULTIPART
from mujina.kernel.http.dispatcher import JSON, Call, Response
from mujina.kernel.http.paging import DEFAULT_SIZE, MAX_SIZE
from mujina.kernel.http.params import Field, Ref, fields_of
from mujina.kernel.http.routing import Route, get, is_capture, marked
from mujina.kernel.openapi.examples import example
from mujina.kernel.openapi.schemas import Schema, Schemas, is_raw
from mujina.kernel.openapi.sentences import description_of, summary_of
from mujina.kernel.permissions.scopes import READ_USER
from mujina.kernel.product import ExtensionPoint, Product

FURTHER_PATHS: Final = ExtensionPoint[Callable[[], tuple[dict[str, Any], dict[str, Schema]]]](
    "paths outside of the API that the document has as well, and their schemas"
)

_PAGE = [
    {
        "name": "page",
        "in": "query",
        "description": "The number of the page, from 1.",
        "schema": {"type": "integer", "default": 1, "minimum": 1},
    },
    {
        "name": "per_page",
        "in": "query",
        "description": "The number of items on a page.",
        "schema": {"type": "integer", "default": DEFAULT_SIZE, "minimum": 1, "maximum": MAX_SIZE},
    },
]
_SUDO = {
    "name": "Sudo",
    "in": "header",
    "description": "The id or username of the user to act as; for administrators whose token has the scope `sudo`.",
    "schema": {"type": "string"},
}
_PAGE_HEADERS = {
    "Link": "The addresses of the first, last, next and previous page (RFC 8288).",
    "X-Total": "The number of items in the whole list.",
    "X-Total-Pages": "The number of pages.",
    "X-Per-Page": "The number of items on a page.",
    "X-Page": "The number of this page.",
    "X-Next-Page": "The number of the next page; empty on the last page.",
    "X-Prev-Page": "The number of the previous page; empty on the first page.",
}
_ERRORS = {
    "400": "A parameter is missing or invalid",
    "401": "Not authenticated",
    "403": "Not allowed",
    "404": "Not found, or not visible to the caller",
    "default": "Any other error: a conflict (409), a body that is too large (413) or cannot be processed (422)",
}
_ERROR_SCHEMA: Schema = {
    "type": "object",
    "description": "`message` or `error` says what is wrong: a sentence, or complaints by the name of a parameter.",
    "properties": {"message": {}, "error": {}},
}
_SUCCESS = {
    200: "OK", 201: "Created", 202: "Accepted", 204: "Done; the response has no body", 302: "The header `Location` has the address",
}  # fmt: skip
_FORM = "application/x-www-form-urlencoded"
_OCTETS = "application/octet-stream"
_BINARY: Schema = {"type": "string", "format": "binary"}
_SECURITY = {
    "private_token": {"type": "apiKey", "in": "header", "name": "Private-Token"},
    "bearer": {"type": "http", "scheme": "bearer"},
}


def document(routes: Iterable[Route], version: str) -> dict[str, Any]:
    """Every route with its parameters, its responses and an example of each."""
    return _Document(list(routes)).whole(version)


class _Document:
    def __init__(self, routes: list[Route]) -> None:
        self.routes = routes
        answers = Schemas()
        self.answers = {id(route): answers.of_body(route.returns) for route in routes}
        params = {kind for route in routes for kind in route.params.values()}
        self.repeated = _repeated(kind.__name__ for kind in params)
        self.shared = _repeated(route.name for route in routes)
        self.schemas: dict[str, Schema] = {"Error": _ERROR_SCHEMA, **answers.components}
        self.examples: dict[str, dict[str, Any]] = {}

    def whole(self, version: str) -> dict[str, Any]:
        paths: dict[str, dict[str, Any]] = {}
        for route in self.routes:
            paths.setdefault(_template(route), {})[route.verb.lower()] = self._operation(route)
        return {
            "openapi": "3.1.0",
            "info": {"title": "Mujina", "version": version, "summary": "REST API v4"},
            "servers": [{"url": "/api/v4"}],
            "tags": [
                {"name": tag, "description": f"Operations on {tag.replace('_', ' ')}."}
                for tag in dict.fromkeys(map(_tag, self.routes))
            ],
            "paths": paths,
            "components": {
                "securitySchemes": _SECURITY,
                "schemas": self.schemas,
                "parameters": {"Sudo": _SUDO},
                "examples": self.examples,
                "responses": {status: _error(text) for status, text in _ERRORS.items()},
                "headers": {
                    name: {"description": text, "schema": {"type": "string"}} for name, text in _PAGE_HEADERS.items()
                },
            },
        }

    def _operation(self, route: Route) -> dict[str, Any]:
        fields = [field for kind in route.params.values() for field in fields_of(kind)]
        in_query = route.streamed or route.verb in ("GET", "DELETE")
        operation: dict[str, Any] = {
            "operationId": f"{route.name}_{_path_name(route)}" if route.name in self.shared else route.name,
            "summary": summary_of(route),
            "description": description_of(route),
            "tags": [_tag(route)],
            "parameters": [
                *_captures(route),
                *([_in_query(field) for field in fields] if in_query else []),
                *(_PAGE if route.paged else []),
                _reference("parameters", "Sudo"),
            ],
            "responses": self._responses(route),
            "security": [{"private_token": []}, {"bearer": []}, *([{}] if route.anonymous else [])],
        }
        if route.streamed:
            operation["requestBody"] = {"required": True, "content": {_OCTETS: {"schema": _BINARY}}}
        elif fields and route.verb != "GET":
            operation["requestBody"] = self._request_body(route, fields, optional=in_query)
        return operation

    def _request_body(self, route: Route, fields: list[Field], *, optional: bool) -> dict[str, Any]:
        """The parameters as JSON, form or multipart; `optional` where they may stand in the query instead."""
        [params] = route.params.values()
        name = f"{_tag(route)}.{params.__name__}" if params.__name__ in self.repeated else params.__name__
        plain = [field for field in fields if not _is_upload(field)]
        required = not optional and any(field.required for field in fields)
        content: dict[str, Any] = {}
        if not any(_is_upload(field) and field.required for field in fields):
            self.schemas[name] = _schema(plain, optional=optional)
            self.schemas[f"{name}Form"] = self._same(name, plain)
            example = self._example(name, _reference("schemas", name))
            content[JSON] = {"schema": _reference("schemas", name), "examples": example}
            content[_FORM] = {"schema": _reference("schemas", f"{name}Form"), **_encoding(fields)}
        multipart = _schema(fields, optional=optional) if len(plain) < len(fields) else self._same(name, plain)
        self.schemas[f"{name}Multipart"] = multipart
        content[MULTIPART] = {"schema": _reference("schemas", f"{name}Multipart"), **_encoding(fields)}
        return {"required": required, "content": content}

    def _same(self, name: str, fields: list[Field]) -> Schema:
        """The schema once more: generators of clients tell the content types of a body apart by the schema's name."""
        # They name an object inside a schema after the schema: then a reference would name it twice.
        nested = any(_holds_objects(field.form.schema) for field in fields)
        return dict(self.schemas[name]) if nested else {"allOf": [_reference("schemas", name), {"type": "object"}]}

    def _responses(self, route: Route) -> dict[str, Any]:
        done: dict[str, Any] = {"description": _SUCCESS[route.status]}
        schema = self.answers[id(route)]
        if is_raw(route.returns):
            done["content"] = {_OCTETS: {"schema": _BINARY}}
        elif route.status != 204:
            schema = {"type": "null"} if schema is None else schema
            done["content"] = {JSON: {"schema": schema, "examples": self._example(_example_name(schema), schema)}}
        if route.paged:
            done["headers"] = {name: _reference("headers", name) for name in _PAGE_HEADERS}
        return {str(route.status): done, **{status: _reference("responses", status) for status in _ERRORS}}

    def _example(self, name: str, schema: Schema) -> dict[str, Any]:
        """A reference to the example of this name, which is made when it is first referred to."""
        if name not in self.examples:
            self.examples[name] = {"value": example(schema, self.schemas)}
        return {"example": _reference("examples", name)}


def _repeated(names: Iterable[str]) -> set[str]:
    return {name for name, count in Counter(names).items() if count > 1}


def _example_name(schema: Schema) -> str:
    """`Issue`, `Issue.list`, and for what has no name its shape in letters that a reference may have."""
    if "$ref" in schema:
        return schema["$ref"].rpartition("/")[2]
    if schema.get("type") == "array":
        return f"{_example_name(schema.get('items') or {})}.list"
    if "anyOf" in schema:
        return ".or.".join(_example_name(option) for option in schema["anyOf"])
    if isinstance(schema.get("additionalProperties"), dict):
        return f"{_example_name(schema['additionalProperties'])}.by_key"
    return str(schema.get("type", "any"))


def _template(route: Route) -> str:
    return "".join(f"/{{{part[1:]}}}" if is_capture(part) else f"/{part}" for part in route.segments)


def _tag(route: Route) -> str:
    """The noun whose package the handler is in."""
    return route.handler.__module__.split(".")[-2]


def _path_name(route: Route) -> str:
    """The path as part of an operation's id, where several paths share a handler; they may differ in `-` alone."""
    return "_".join("dash" if part == "-" else part.lstrip(":*") for part in route.segments)


def _captures(route: Route) -> list[dict[str, Any]]:
    return [{"name": n, "in": "path", "required": True, **_capture(k)} for n, k in route.captures.items()]


def _capture(kind: type) -> dict[str, Any]:
    if kind is Ref:
        return {"schema": {"type": "string"}, "description": "The id, or the full path with / written as %2F."}
    return {"schema": {"type": "integer" if issubclass(kind, int) else "string"}}


def _in_query(field: Field) -> dict[str, Any]:
    array = field.form.schema.get("type") == "array"
    name = f"{field.name}[]" if array else field.name
    style = {"style": "deepObject"} if field.form.schema.get("type") == "object" else {}
    return {"name": name, "in": "query", "required": field.required, "schema": dict(field.form.schema), **style}


def _in_body(field: Field) -> Schema:
    schema = dict(field.form.schema)
    if not field.nullable:
        return schema
    if "enum" in schema:
        return {**schema, "enum": [*schema["enum"], None]}
    return {**schema, "type": [schema["type"], "null"]}


def _holds_objects(schema: Mapping[str, Any]) -> bool:
    return "object" in (schema.get("type"), schema.get("items", {}).get("type"))


def _is_upload(field: Field) -> bool:
    return field.form.schema.get("format") == "binary"


def _schema(fields: list[Field], *, optional: bool) -> Schema:
    schema: Schema = {"type": "object", "properties": {field.name: _in_body(field) for field in fields}}
    required = [field.name for field in fields if field.required and not optional]
    return {**schema, "required": required} if required else schema


def _encoding(fields: list[Field]) -> dict[str, Any]:
    """In a form an array is spelled `a=1,2` and an object `a[key]=value`."""
    kinds = {field.name: field.form.schema.get("type") for field in fields}
    encoding = {
        **{name: {"style": "form", "explode": False} for name, kind in kinds.items() if kind == "array"},
        **{name: {"style": "deepObject", "explode": True} for name, kind in kinds.items() if kind == "object"},
    }
    return {"encoding": encoding} if encoding else {}


def _error(text: str) -> dict[str, Any]:
    return {"description": text, "content": {JSON: {"schema": _reference("schemas", "Error")}}}


def _reference(kind: str, name: str) -> dict[str, str]:
    return {"$ref": f"#/components/{kind}/{name}"}


def openapi_routes(routes: list[Route], version: str, product: Product) -> list[Route]:
    """The document at `/openapi.json` and the page that reads it at `/docs`; neither needs a token."""
    # Made when it is first asked for: a start does not wait for it.
    whole = cache(lambda: Response(_extended(document(routes, version), product)))
    page = Response(Path(__file__).with_name("openapi.html").read_bytes(), content_type="text/html; charset=utf-8")

    @get("/openapi.json", anonymous=True, scopes=READ_USER)
    async def show_openapi(_call: Call) -> Response:
        return whole()

    @get("/docs", anonymous=True, scopes=READ_USER)
    async def show_docs(_call: Call) -> Response:
        return page

    return marked(show_openapi) + marked(show_docs)


def _extended(whole: dict[str, Any], product: Product) -> dict[str, Any]:
    """The document with the paths that chapters add."""
    for describe in product.all(FURTHER_PATHS):
        paths, schemas = describe()
        whole["paths"].update(paths)
        whole["components"]["schemas"].update(schemas)
    return whole
