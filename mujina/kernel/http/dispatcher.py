"""Requests of the API: each is handled in the same steps, in the same order.

credential → actor (401) → limit (429) → scope (403) → edition (403, 404) → parameters (400) → administrator (403)
→ the handler of the route.
"""

import base64
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, suppress
from functools import partial
from typing import Any, Final, Generic, TypeVar, cast
from urllib.parse import unquote_to_bytes

import msgspec

from mujina.kernel import clock, errors
from mujina.kernel.db.errors import DatabaseError
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import ApiError
from mujina.kernel.events import visited_hooks
from mujina.kernel.http import params
from mujina.kernel.http.bodies import read_body
from mujina.kernel.http.forms import Tree, read_query
from mujina.kernel.http.paging import MAX_LIST_TARGET, Paged, exceeds, read_page
from mujina.kernel.http.params import MAX_INTEGER, BadValue, Ref, read_integer, read_text
from mujina.kernel.http.requests.incoming import ApiRequest
from mujina.kernel.http.requests.log import record_of
from mujina.kernel.http.requests.newer_fields import has_newer_fields, with_newer_fields
from mujina.kernel.http.requests.origins import Origin
from mujina.kernel.http.routing import Digits, Route, is_capture
from mujina.kernel.limits.requests import Limits, RequestLimits
from mujina.kernel.permissions.actor import ANONYMOUS, Actor
from mujina.kernel.permissions.scopes import JOB, PACKAGE_SCOPES, ROTATE, check_scope
from mujina.kernel.product import ExtensionPoint
from mujina.kernel.secrets import Vault
from mujina.kernel.services import Services
from mujina.kernel.urls import InstanceAddress, instance_address

JSON = "application/json"
WITHOUT_BODY = frozenset({"GET", "HEAD"})
"""Methods whose request body is ignored."""
NO_BODY: tuple[Tree, None] = {}, None
DELIVERY_HEADER, DELIVERY_PURPOSE = "X-Mujina-Delivery", "delivery"
"""Every delivery of a hook carries the header, signed for this purpose: `key.seconds.hooks.signature`, with the time and the
ids of the hook and of those whose deliveries led to it, joined by `-`."""
_DELIVERY_HEADER = DELIVERY_HEADER.lower().encode()
MAX_VISITED_HOOKS = 2
"""A change that the deliveries of more hooks led to is refused: hooks that lead to each other would multiply."""
VISITED_SECONDS = 3_600
"""How long a delivery header is valid: a receiver that keeps it hides no later change."""
SESSION_COOKIE = "_service_session"
NODE_SCHEME = "gl-geo "
"""The credential of a replication node, which opens nothing of this API."""
_encode = msgspec.json.Encoder().encode

Body = TypeVar("Body")


class Response(msgspec.Struct, frozen=True):
    """A response with its own status, headers or content type; the body may be a stream of chunks."""

    body: Any = None
    status: int | None = None
    headers: Mapping[str, str] = {}
    content_type: str = JSON


class JsonResponse(Response, Generic[Body], frozen=True):
    """A JSON response with its own status or headers; a route declares the body's type: `-> JsonResponse[Version]`."""


class WireResponse(msgspec.Struct):
    """A response as it is sent."""

    status: int
    body: bytes | AsyncGenerator[bytes] | None = None
    headers: Mapping[str, str] = {}
    content_type: str = JSON


Responder = Callable[[ApiRequest, Mapping[str, str]], Awaitable[WireResponse]]
"""Handles the requests of one route; the captures are named by their depth and still encoded."""


class Credentials(msgspec.Struct, frozen=True):
    """The credentials of a request, not yet verified."""

    oauth: str | None = None
    token: str | None = None
    session: str | None = None
    csrf: str | None = None
    sudo: str | None = None
    sudo_invalid: bool = False
    """Whether `sudo` was given as something else than text or a number: then the request acts as no user."""
    writes: bool = False
    """Whether the request changes something: then a session needs the CSRF token of our pages."""
    job: str | None = None
    """The token of a job, where the route takes one and there is no other token."""
    deploy: str | None = None
    """A deploy token, where the route takes one."""
    basic: tuple[str, str] | None = None
    """The username and password of HTTP Basic authentication, where the route takes them."""
    rotates: bool = False
    """Whether the token is to replace itself: one that was replaced before is a stolen one."""
    for_packages: bool = False
    """Whether the token may also be a deploy token or that of a job: programs that install packages send all alike."""


FindActor = Callable[[Services, Credentials], Awaitable[Actor]]
"""Verifies credentials or raises; ANONYMOUS when there are none."""
RemovedMeanwhile = Callable[[Services, Route, dict[str, Any]], Awaitable[ApiError | None]]
"""The response to an unexpected failure, if what the request names was removed while it ran."""


class DatabaseAccess:
    """Opens the transactions of a request."""

    __slots__ = ()
    services: Services

    def reading(self) -> AbstractAsyncContextManager[Tx]:
        return self.services.database.reading()

    def searching(self) -> AbstractAsyncContextManager[Tx]:
        return self.services.database.searching()

    def listing(self, *, wide: object) -> AbstractAsyncContextManager[Tx]:
        """Reads of a list: `searching` if the request makes it a `wide` one, else `reading`.

        A list is wide if it looks for words, filters the rows of several projects, or counts what filters leave by state.
        """
        return self.searching() if wide else self.reading()

    def transaction(self) -> AbstractAsyncContextManager[Tx]:
        return self.services.database.transaction()


class Call(DatabaseAccess):
    """One request: the actor, the parameters and the services."""

    __slots__ = ("actor", "request", "route", "services", "tree")

    def __init__(self, services: Services, request: ApiRequest, route: Route, actor: Actor, tree: Tree) -> None:
        self.services = services
        self.request = request
        self.route = route
        self.actor = actor
        self.tree = tree

    def unless_modified(self, updated_at: str) -> None:
        """412 when the object is newer than the client's `If-Unmodified-Since`; an invalid header is ignored."""
        try:
            since = clock.read_instant(self.request.get_header("If-Unmodified-Since") or "")
        except ValueError:
            return
        if since < updated_at:
            raise errors.precondition_failed()

    @property
    def origin(self) -> Origin:
        return Origin(self.request.user_agent or "", self.request.remote_addr)

    @property
    def address(self) -> str:
        return self.request.remote_addr


RouteCheck = Callable[[Call, Ref], Awaitable[None]]
"""Refuses a call of a route that the edition lacks, before its parameters are read; the reference is the `:id` of the path."""

OPTIONAL_ROUTES: Final = ExtensionPoint[tuple[str, RouteCheck]]("routes that an edition may lack")
"""The prefixes of their paths, and the checks of their calls."""


class Dispatcher:
    """Turns a request into a call of its handler, and the result into a response."""

    def __init__(
        self,
        services: Services,
        find_actor: FindActor,
        removed_meanwhile: RemovedMeanwhile,
    ) -> None:
        self.services = services
        self.find_actor = find_actor
        self.removed_meanwhile = removed_meanwhile
        self.max_body = services.settings.max_body_megabytes * 1024 * 1024
        settings = services.settings
        self._limits = RequestLimits(services)
        self._ssh = settings.ssh_address
        self._external = InstanceAddress(settings.external_url, *self._ssh) if settings.external_url else None

    def responder(self, route: Route) -> Responder:
        """The function that handles requests of this route."""
        names = [(f"s{n}", part[1:]) for n, part in enumerate(route.segments) if is_capture(part)]
        optional = self.services.product.all(OPTIONAL_ROUTES)
        check = next((check for start, check in optional if route.path.startswith(start)), None)
        digits = [name for name, kind in route.captures.items() if kind is Digits]
        return partial(self._answer, route, names, digits, check, self._limits.of_route(route.verb, route.path))

    async def _answer(
        self,
        route: Route,
        names: list[tuple[str, str]],
        digits: list[str],
        check: RouteCheck | None,
        limits: Limits | None,
        request: ApiRequest,
        captured: Mapping[str, str],
    ) -> WireResponse:
        instance_address.set(self._external or self._instance_address(request))
        visited_hooks.set(_visited(self.services.vault, request) if _DELIVERY_HEADER in request.sent else ())
        raw = {name: captured[theirs] for theirs, name in names} if names else {}
        _check_digits(digits, raw)
        query = read_query(request.query_string) if request.query_string else {}
        body, fault = NO_BODY if route.streamed or request.method in WITHOUT_BODY else await self._body(request)
        tree = {**query, **body}
        actor = await self._authenticate(route, limits, request, tree)
        if check is not None:
            await check(Call(self.services, request, route, actor, tree), _capture("id", Ref, raw["id"]))
        arguments = _captures(route, raw)
        if fault is not None:
            try:
                raise fault
            finally:
                fault = None  # a cycle would keep the body until garbage is collected
        _check_format(tree, route)
        tree.update(raw)
        for name, kind in route.params.items():
            arguments[name] = params.read(kind, tree)
        if route.paged is not None:
            if exceeds(request.scope, MAX_LIST_TARGET):
                raise errors.target_too_long(MAX_LIST_TARGET)
            arguments[route.paged] = read_page(query)
        if route.admin and not actor.admin:
            raise errors.forbidden()
        answer = await self._handle(Call(self.services, request, route, actor, tree), arguments)
        if has_newer_fields(self.services.settings):
            answer = await with_newer_fields(self.services, actor, route.handler, answer)
        return response_for(answer, route.status, request.path)

    async def _authenticate(self, route: Route, limits: Limits | None, request: ApiRequest, tree: Tree) -> Actor:
        """The actor, if the route lets them in: 401 or 403 otherwise, and 429 beyond a limit."""
        credentials = credentials_of(
            request, tree, writes=route.writes, of_job=JOB in route.scopes, rotates=route.scopes == ROTATE
        )
        if not PACKAGE_SCOPES.isdisjoint(route.scopes):
            deploy, basic = request.get_header("Deploy-Token"), _basic(request.get_header("Authorization") or "")
            credentials = msgspec.structs.replace(credentials, deploy=deploy or None, basic=basic, for_packages=True)
        try:
            actor = await self.find_actor(self.services, credentials)
        except ApiError:
            await self._limits.count(limits, ANONYMOUS)  # tokens that are guessed count too
            raise
        record_of(request.scope).acts(actor)
        await self._limits.count(limits, actor)
        # A deploy token that identified no one is an unknown credential: only routes of packages accept one.
        if actor.anonymous and (not route.anonymous or request.get_header("Deploy-Token")):
            raise errors.unauthorized()
        check_scope(actor, route.scopes, reads=not route.writes)
        return actor

    async def _handle(self, call: Call, arguments: dict[str, Any]) -> Any:
        """404 if what the request is about was removed while it ran, with its rows and files."""
        try:
            return await call.route.handler(call, **arguments, **call.route.fixed)
        except (ApiError, DatabaseError):
            raise
        except Exception:
            removed = None
            with suppress(Exception):
                removed = await self.removed_meanwhile(self.services, call.route, arguments)
            if removed is not None:
                raise removed from None
            raise

    async def _body(self, request: ApiRequest) -> tuple[Tree, ApiError | None]:
        """The body's tree, or its error, which is raised only after authentication."""
        try:
            return await read_body(request, self.max_body, request.receive), None
        except ApiError as fault:
            return {}, fault

    def _instance_address(self, request: ApiRequest) -> InstanceAddress:
        host = request.get_header("Host")  # HTTP/1.0 has none
        base = f"{request.scheme}://{host}" if host else self.services.settings.local_url
        return InstanceAddress(base, *self._ssh)


def _check_format(tree: Tree, route: Route) -> None:
    """The format is fixed: any other is an error, unless `format` is a parameter of the route."""
    if tree.get("format", "") not in ("json", "") and not any(
        "format" in kind.__struct_fields__ for kind in route.params.values()
    ):
        raise errors.format_not_supported(str(tree["format"]))


def _check_digits(names: list[str], raw: Mapping[str, str]) -> None:
    """404 unless these segments are digits: any other path is unknown, also to callers without a credential."""
    if not all(unquote_to_bytes(raw[name]).isdigit() for name in names):
        raise errors.unknown_route()


def _captures(route: Route, raw: Mapping[str, str]) -> dict[str, Any]:
    return {name: _capture(name, kind, raw[name]) for name, kind in route.captures.items()} if raw else {}


def _capture(name: str, kind: type, raw: str) -> Any:
    """One segment of the path, decoded once, after routing."""
    try:
        text = raw if raw.isascii() and raw.isalnum() else read_text(unquote_to_bytes(raw).decode())
        if kind is Ref:
            return Ref(text)
        if not issubclass(kind, int):
            return text
        # An id beyond 64 bits names nothing, as any other that is not there.
        return MAX_INTEGER if text.isdecimal() and len(text.lstrip("0")) > 18 else read_integer(text)
    except (BadValue, UnicodeDecodeError):
        raise errors.unacceptable(f"{name} is invalid") from None


def _visited(vault: Vault, request: ApiRequest) -> tuple[int, ...]:
    """The hooks that a delivery names; none if this instance did not sign it lately. 400 for a change that came too far."""
    text, _, signature = (request.get_header(DELIVERY_HEADER) or "").rpartition(".")
    named, sent = text.rpartition(".")[2], text.rpartition(".")[0].rpartition(".")[2]
    hooks = named.split("-")
    if not all(part.isdecimal() for part in (*hooks, sent)) or not vault.signed(text, DELIVERY_PURPOSE, signature):
        return ()
    if clock.timestamp() - int(sent) > VISITED_SECONDS:
        return ()
    if len(hooks) > MAX_VISITED_HOOKS and request.method not in WITHOUT_BODY:
        raise errors.bad_request("400 Bad request - the deliveries of too many hooks led to this request")
    return tuple(map(int, hooks))


_FURTHER_CREDENTIALS = frozenset({b"authorization", b"cookie", b"x-csrf-token", b"sudo"})
_CREDENTIAL_PARAMS = frozenset({"access_token", "bearer_token", "private_token", "authenticity_token", "sudo"})


def credentials_of(
    request: ApiRequest, tree: Tree, *, writes: bool = False, of_job: bool = False, rotates: bool = False
) -> Credentials:
    """The credentials of a request, in this API's order of precedence; an empty value counts as absent.

    `of_job`: whether the token of a job is one of them.
    """
    header, sent = request.get_header, request.sent
    job = (header("Job-Token") or _text_of(tree, "job_token")) if of_job else None
    if _FURTHER_CREDENTIALS.isdisjoint(sent) and _CREDENTIAL_PARAMS.isdisjoint(tree):  # nearly every request
        return Credentials(token=header("Private-Token") or None, writes=writes, job=job, rotates=rotates)
    authorization = header("Authorization") or ""
    if authorization[:7].lower() == NODE_SCHEME:
        raise errors.unauthorized()
    bearer = authorization[7:].strip() if authorization[:7].lower() == "bearer " else None
    sudo = tree.get("sudo")
    return Credentials(
        oauth=_text_of(tree, "access_token") or bearer or _text_of(tree, "bearer_token"),
        token=_text_of(tree, "private_token") or header("Private-Token") or None,
        session=request.cookies.get(SESSION_COOKIE) if header("Cookie") else None,
        csrf=header("X-CSRF-Token") or _text_of(tree, "authenticity_token"),
        sudo=str(sudo) if isinstance(sudo, str | int) and sudo != "" else header("Sudo") or None,
        sudo_invalid=sudo is not None and (isinstance(sudo, bool) or not isinstance(sudo, str | int)),
        writes=writes,
        job=job,
        rotates=rotates,
    )


def _basic(authorization: str) -> tuple[str, str] | None:
    """The username and password of HTTP Basic authentication; None if there are none."""
    if authorization[:6].lower() != "basic ":
        return None
    with suppress(ValueError):
        username, colon, password = base64.b64decode(authorization[6:], validate=True).decode().partition(":")
        return (username, password) if colon and "\0" not in username else None
    return None


def _text_of(tree: Tree, name: str) -> str | None:
    return value if isinstance(value := tree.get(name), str) and value else None


def response_for(answer: Any, status: int, path: str) -> WireResponse:
    """The result of a handler as a response; JSON has the content type `application/json`, without a charset."""
    headers: Mapping[str, str] = {}
    if isinstance(answer, Paged):
        page = cast("Paged[Any]", answer)
        headers = page.headers(instance_address.get().base + path)
        answer = page.items
    elif isinstance(answer, Response):
        status, headers = answer.status or status, answer.headers
        if answer.content_type != JSON:
            return WireResponse(status, answer.body, headers, answer.content_type)
        answer = answer.body
    return WireResponse(status, None if status in (204, 304) else _encode(answer), headers)


def error_response(error: ApiError) -> WireResponse:
    """An error as a response."""
    return WireResponse(error.status, None if error.body is None else _encode(error.body), error.headers)
