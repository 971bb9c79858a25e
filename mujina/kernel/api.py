"""The API as an ASGI application: falcon's compiled router on the raw path, and the headers every answer carries."""

import hashlib
import re
import time
from collections import defaultdict
from collections.abc import Iterable
from random import getrandbits
from types import SimpleNamespace
from typing import Any, cast

import falcon
import falcon.asgi
from falcon.asgi import Request, Response

from mujina.kernel import errors
from mujina.kernel.db.errors import Busy, CommitFailed, Conflict, Contention, DatabaseUnavailable, Unbindable
from mujina.kernel.errors import Refusal
from mujina.kernel.http import Door, refuse
from mujina.kernel.ledger import Ledger
from mujina.kernel.logs import bind, log
from mujina.kernel.routing import Route

PREFIX = "/api/v4"
_SLASHES = re.compile(r"//+")
_SAFE_ID = re.compile(r"[^A-Za-z0-9_.:-]")
_EXPOSED = "Link, X-Total, X-Total-Pages, X-Per-Page, X-Page, X-Next-Page, X-Prev-Page"
_ANY_VERB = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"


BODILESS = frozenset({"GET", "HEAD", "OPTIONS"})
"""Verbs whose body, if there is one, is not read."""


async def no_body() -> dict[str, Any]:
    """Falcon asks for the body before it routes; waiting for the server's thread to say "none" costs more than routing."""
    return {"type": "http.request", "body": b"", "more_body": False}


def straight(scope: dict[str, Any]) -> str:
    """The path as it was sent, still encoded, without doubled or trailing slashes: `%2F` survives until after routing."""
    raw: bytes = scope.get("raw_path") or scope["path"].encode()
    path = _SLASHES.sub("/", raw.partition(b"?")[0].decode("latin-1"))
    return path.rstrip("/") or "/"


def build_api(door: Door, routes: Iterable[Route]) -> falcon.asgi.App[Request, Response]:
    """Every route behind one door; unknown paths and verbs are refused in this API's own words."""
    ledger = Ledger(door.house.settings, door.house.database)
    app = falcon.asgi.App[Request, Response](middleware=cast("Any", [Envelope(ledger)]))
    app.req_options.keep_blank_qs_values = True
    app.add_error_handler(Exception, _fail)
    app.add_error_handler(falcon.HTTPError, _translate)
    app.add_error_handler(Refusal, _refuse)
    by_path: dict[str, dict[str, Route]] = defaultdict(dict)
    for route in routes:
        by_path[_template(route)][route.verb] = route
    for template, verbs in by_path.items():
        app.add_route(PREFIX + template, _resource(door, verbs))
    return app


def _template(route: Route) -> str:
    """Falcon wants one name for a capture at a given depth, whatever the route calls it."""
    return "".join(f"/{{s{n}}}" if part.startswith(":") else f"/{part}" for n, part in enumerate(route.segments))


def _resource(door: Door, verbs: dict[str, Route]) -> SimpleNamespace:
    """One path with its verbs, as falcon wants it."""
    resource = SimpleNamespace(path=next(iter(verbs.values())).path)
    for verb, route in verbs.items():
        names = {f"s{n}": part[1:] for n, part in enumerate(route.segments) if part.startswith(":")}
        respond = door.responder(route, names)
        setattr(resource, f"on_{verb.lower()}", respond)
        if verb == "GET":
            resource.on_head = respond
    allowed = [*verbs, *(["HEAD"] if "GET" in verbs else []), "OPTIONS"]

    async def on_options(request: Request, response: Response, **captured: str) -> None:
        response.status = 204
        response.set_header("Allow", ", ".join(allowed))

    resource.on_options = on_options
    return resource


async def _refuse(request: Request, response: Response, refusal: Refusal, _: dict[str, Any], **kw: Any) -> None:
    refuse(response, refusal)


async def _translate(
    request: Request, response: Response, error: falcon.HTTPError, _: dict[str, Any], **kw: Any
) -> None:
    """What falcon refuses by itself, in this API's words."""
    if isinstance(error, falcon.HTTPRouteNotFound):
        refuse(response, errors.unknown_route())
    elif isinstance(error, falcon.HTTPMethodNotAllowed):
        refuse(response, errors.method_not_allowed([cast("dict[str, str]", error.headers)["Allow"]]))
    else:
        refuse(response, Refusal(error.status_code, {"message": error.title}))


async def _fail(request: Request, response: Response, error: Exception, _: dict[str, Any], **kw: Any) -> None:
    refuse(response, refusal_of(error, request.path))


def refusal_of(error: Exception, path: str) -> Refusal:
    """What nobody foresaw: a conflict of twins is the client's to retry, the rest is ours and is logged."""
    if isinstance(error, Busy | CommitFailed | DatabaseUnavailable):
        return errors.overloaded()
    if isinstance(error, Unbindable):
        return errors.unacceptable("a parameter is invalid")
    if isinstance(error, Conflict | Contention):
        return errors.conflict()
    log.error("request failed", path=path, exc_info=error)
    return errors.internal()


def new_id() -> str:
    """A random UUID; it names a request and guards nothing, so it need not wait for the system's entropy."""
    digits = f"{getrandbits(128):032x}"
    return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-a{digits[17:20]}-{digits[20:]}"


class Envelope:
    """The headers that every answer of the API carries, and 304 for what the client already has."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    async def process_request(self, request: Request, response: Response) -> None:
        request.context.started = time.perf_counter()
        given = request.get_header("X-Request-Id")
        request.context.id = (given and _SAFE_ID.sub("", given)[:255]) or new_id()
        bind(request_id=request.context.id)

    async def process_response(self, request: Request, response: Response, resource: object, ok: bool) -> None:
        seconds = time.perf_counter() - request.context.started
        response.set_headers(
            {
                "X-Request-Id": request.context.id,
                "X-Runtime": f"{seconds:.6f}",
                "Vary": "Origin",
                "X-Frame-Options": "SAMEORIGIN",
                "X-Content-Type-Options": "nosniff",
            }
        )
        if request.get_header("Origin"):
            self._share(request, response)
        data = response.data
        if data and response.status_code in (200, 201):
            self._tag(request, response, data)
        else:
            response.set_header("Cache-Control", "no-cache")
        self._ledger.enter(request, response, getattr(resource, "path", "other"), seconds)

    def _share(self, request: Request, response: Response) -> None:
        """CORS: any origin, no credentials."""
        response.set_header("Access-Control-Allow-Origin", "*")
        response.set_header("Access-Control-Expose-Headers", _EXPOSED)
        if request.method == "OPTIONS":
            response.set_header("Access-Control-Allow-Methods", _ANY_VERB)
            wanted = request.get_header("Access-Control-Request-Headers")
            response.set_header("Access-Control-Allow-Headers", wanted or "*")
            response.set_header("Access-Control-Max-Age", "7200")

    def _tag(self, request: Request, response: Response, data: bytes) -> None:
        tag = f'W/"{hashlib.blake2b(data, digest_size=16).hexdigest()}"'
        response.set_header("ETag", tag)
        response.set_header("Cache-Control", "max-age=0, private, must-revalidate")
        known = request.get_header("If-None-Match")
        if known and request.method in ("GET", "HEAD") and tag in (k.strip() for k in known.split(",")):
            response.status = 304
            response.data = None
