"""The API as an ASGI application: routes on the raw path, and the headers of every response."""

import hashlib
import re
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import aclosing
from functools import cached_property
from typing import Any, Generic, TypeVar

from mujina.kernel import errors
from mujina.kernel.db.errors import (
    ConstraintViolation,
    SerializationFailure,
    TemporaryFailure,
    UnbindableValue,
)
from mujina.kernel.errors import ApiError
from mujina.kernel.http.bodies import whole
from mujina.kernel.http.dispatcher import Dispatcher, Responder, WireResponse, error_response
from mujina.kernel.http.requests.incoming import ApiRequest, coded
from mujina.kernel.http.requests.log import record_of
from mujina.kernel.http.routing import Route, is_capture
from mujina.kernel.monitoring.logs import log
from mujina.kernel.storage.errors import storage_problem, storage_status

PREFIX = "/api/v4"
GRAPHQL = "/api/graphql"
_SLASHES = re.compile(r"//+")
_EXPOSED = b"Link, X-Total, X-Total-Pages, X-Per-Page, X-Page, X-Next-Page, X-Prev-Page"
_ANY_VERB = b"GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"
_ALWAYS = {b"vary": b"Origin", b"x-frame-options": b"SAMEORIGIN", b"x-content-type-options": b"nosniff"}
_WITHOUT_TYPE = frozenset({204, 304})
_MANY = "*"
"""Precedes a capture of several segments in a template."""

_CAPTURE = None
_END = 0
"""Keys of a node of the tree of paths, beside words, which are texts."""

Found = TypeVar("Found")
Headers = dict[bytes, bytes]
Send = Callable[[dict[str, Any]], Awaitable[None]]


def raw_path(scope: dict[str, Any]) -> str:
    """The path as sent, still encoded, without doubled or trailing slashes: `%2F` is decoded after routing."""
    raw: bytes = scope.get("raw_path") or scope["path"].encode()
    path = raw.partition(b"?")[0].decode("latin-1")
    if "//" in path:
        path = _SLASHES.sub("/", path)
    return path.rstrip("/") or "/"


class Resource:
    """One path of the API and its handlers by method."""

    def __init__(self, dispatcher: Dispatcher, verbs: dict[str, Route]) -> None:
        self.path = next(iter(verbs.values())).path
        self.allowed = [*verbs, *(["HEAD"] if "GET" in verbs else []), "OPTIONS"]
        self._dispatcher = dispatcher
        self._verbs = verbs

    @cached_property
    def answers(self) -> dict[str, Responder]:
        """Made for the first request of the path: those of all paths together take 20 ms."""
        answers = {verb: self._dispatcher.responder(route) for verb, route in self._verbs.items()}
        if "GET" in answers:
            answers["HEAD"] = answers["GET"]
        return answers | {"OPTIONS": self._options}

    async def _options(self, _request: ApiRequest, _captured: Mapping[str, str]) -> WireResponse:
        return WireResponse(204, headers={"Allow": ", ".join(self.allowed)})


class PathTree(Generic[Found]):
    """Finds what answers at paths such as `/projects/{s1}/issues`, in a time that does not grow with their number.

    At each segment, a word is preferred to a capture.
    """

    def __init__(self) -> None:
        self._root: dict[str | int | None, Any] = {}

    def add(self, path: str, found: Found) -> None:
        """What is found at this path."""
        node = self._root
        for part in path.split("/"):
            capture = part[1:-1] if part.startswith("{") else ""
            if capture:
                _, node = node.setdefault(_CAPTURE, (capture, {}))
            else:
                node = node.setdefault(part, {})
        node[_END] = found

    def find(self, path: str, captured: dict[str, str]) -> Found | None:
        """What was added at the path; `captured` gets its captures by name."""
        return self._descend(self._root, path.split("/"), 0, captured)

    def _descend(
        self, node: dict[str | int | None, Any], parts: list[str], n: int, captured: dict[str, str]
    ) -> Found | None:
        if n == len(parts):
            return node.get(_END)
        word = node.get(parts[n])
        if word is not None and (found := self._descend(word, parts, n + 1, captured)) is not None:
            return found
        if _CAPTURE not in node:
            return None
        name, below = node[_CAPTURE]
        found = self._descend(below, parts, n + 1, captured)
        if found is not None:
            captured[name] = parts[n]
        return found


class Api:
    """All routes; unknown paths and methods get this API's own errors.

    Falcon's application class costs twice as much as this module: an API of one content type needs no middleware, response
    objects and negotiation.
    """

    def __init__(self, dispatcher: Dispatcher, routes: Iterable[Route]) -> None:
        by_path: dict[str, dict[str, Route]] = defaultdict(dict)
        for route in routes:
            by_path[_template(route)][route.verb] = route
        self._paths = PathTree[Resource]()
        self._wildcards: list[tuple[re.Pattern[str], Resource]] = []
        for template, verbs in by_path.items():
            resource = Resource(dispatcher, verbs)
            if _MANY in template:
                self._wildcards.append((_wildcard(template), resource))
            else:
                self._paths.add(PREFIX + template, resource)

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Send) -> None:
        """The ASGI application."""
        started = time.perf_counter()
        request = ApiRequest(scope, whole(receive))
        resource, captured = self._find(request.path)
        if resource is not None:
            record_of(scope).route = resource.path
        try:
            reply = await _responder(resource, request.method, request.path)(request, captured)
        except Exception as error:  # noqa: BLE001 - whatever it is, the client gets a response
            reply = error_response(error_for(error, request.path))
        seconds = time.perf_counter() - started
        headers = _headers(request, reply)
        headers[b"x-runtime"] = b"%.6f" % seconds
        await _send(request, reply, headers, send)

    def _find(self, path: str) -> tuple[Resource | None, Mapping[str, str]]:
        """The resource and the captures of its path; a path without wildcards is preferred."""
        captured: dict[str, str] = {}
        found = self._paths.find(path, captured)
        if found is not None:
            return found, captured
        for pattern, resource in self._wildcards:
            if matched := pattern.fullmatch(path):
                return resource, matched.groupdict()
        return None, {}


def _responder(resource: Resource | None, method: str, path: str) -> Responder:
    if resource is None:
        raise errors.graphql_not_served() if path == GRAPHQL else errors.unknown_route()
    if method not in resource.answers:
        raise errors.method_not_allowed(resource.allowed)
    return resource.answers[method]


def _template(route: Route) -> str:
    """All captures at one depth have the same name."""
    return "".join(
        f"/{_MANY if part.startswith('*') else ''}{{s{n}}}" if is_capture(part) else f"/{part}"
        for n, part in enumerate(route.segments)
    )


def _wildcard(template: str) -> re.Pattern[str]:
    """The first of two captures of several segments takes as little as possible."""
    pattern = re.sub(r"(\*?)\{(\w+)\}", lambda part: f"(?P<{part[2]}>{'.+?' if part[1] else '[^/]+'})", template)
    return re.compile(PREFIX + pattern)


def error_for(error: Exception, path: str) -> ApiError:
    """The response to a failure: a client may retry a conflict; an unexpected error is a 500 and is logged."""
    if isinstance(error, ApiError):
        return error
    if sentence := storage_problem(error):
        log.error("storage cannot be used", path=path, exc_info=error)
        return errors.unusable_storage(storage_status(sentence), sentence)
    if isinstance(error, TemporaryFailure):
        return errors.overloaded()
    if isinstance(error, UnbindableValue):
        return errors.unacceptable("a parameter is invalid")
    if isinstance(error, ConstraintViolation | SerializationFailure):
        return errors.conflict()
    log.error("request failed", path=path, exc_info=error)
    return errors.internal()


def _headers(request: ApiRequest, reply: WireResponse) -> Headers:
    """The headers of every response; a response that the client has already becomes a 304."""
    headers = {coded(name): value.encode("latin-1") for name, value in reply.headers.items()}
    headers.update(_ALWAYS)
    if request.sent.get(b"origin"):
        _share(request, headers)
    if isinstance(reply.body, bytes) and reply.status in (200, 201):
        _tag(request, reply, reply.body, headers)
    else:
        headers[b"cache-control"] = b"no-cache"
    return headers


def _share(request: ApiRequest, headers: Headers) -> None:
    """CORS: any origin, no credentials."""
    headers[b"access-control-allow-origin"] = b"*"
    headers[b"access-control-expose-headers"] = _EXPOSED
    if request.method == "OPTIONS":
        headers[b"access-control-allow-methods"] = _ANY_VERB
        requested = request.get_header("Access-Control-Request-Headers") or "*"
        headers[b"access-control-allow-headers"] = requested.encode("latin-1")
        headers[b"access-control-max-age"] = b"7200"


def _tag(request: ApiRequest, reply: WireResponse, body: bytes, headers: Headers) -> None:
    # Not for security; processors compute SHA-1 in hardware.
    tag = f'"{hashlib.sha1(body, usedforsecurity=False).hexdigest()}"'
    headers[b"etag"] = f"W/{tag}".encode()
    headers[b"cache-control"] = b"max-age=0, private, must-revalidate"
    known = request.get_header("If-None-Match") if b"if-none-match" in request.sent else None
    if known and request.method in ("GET", "HEAD") and tag in (k.strip().removeprefix("W/") for k in known.split(",")):
        reply.status = 304
        reply.body = None


async def _send(request: ApiRequest, reply: WireResponse, headers: Headers, send: Send) -> None:
    """Send the response, whole or as a stream of chunks."""
    body = reply.body
    if reply.status not in _WITHOUT_TYPE:
        headers[b"content-type"] = reply.content_type.encode("latin-1")
        if body is None or isinstance(body, bytes):
            headers[b"content-length"] = b"%d" % len(body or b"")
    start = {"type": "http.response.start", "status": reply.status, "headers": [*headers.items()]}
    await send(start)
    if body is not None and not isinstance(body, bytes):
        async with aclosing(body):
            if request.method != "HEAD":
                async for piece in body:
                    await send({"type": "http.response.body", "body": piece, "more_body": True})
        body = None
    await send({"type": "http.response.body", "body": b"" if request.method == "HEAD" else body or b""})
