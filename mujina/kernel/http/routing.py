"""Routes are functions marked with their verb and path; their signature says what they read and what they answer."""

from collections.abc import Awaitable, Callable, Iterator
from itertools import groupby
from types import ModuleType
from typing import Any, Literal, TypeVar, get_args, get_type_hints

import msgspec

from mujina.kernel.http.paging import Page
from mujina.kernel.http.params import Params, Ref
from mujina.kernel.http.signatures import parameters_of
from mujina.kernel.permissions.scopes import API
from mujina.kernel.product import Product

Verb = Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
Handler = Callable[..., Awaitable[Any]]
Function = TypeVar("Function", bound=Handler)

_SUCCESS: dict[Verb, int] = {"GET": 200, "PUT": 200, "PATCH": 200, "POST": 201, "DELETE": 204}
_MARK = "__routes__"


class Digits(int):
    """A capture that only matches digits: anything else is an unknown route, not a bad parameter."""


class Segment(str):
    """A capture that is one decoded segment of the path, as it stands."""

    __slots__ = ()


def is_capture(segment: str) -> bool:
    """Whether the segment of a route stands for a value: `:id` for one segment, `*path` for one or several."""
    return segment.startswith((":", "*"))


class Route(msgspec.Struct, frozen=True):
    """A verb and a path with what answers there and who may ask."""

    verb: Verb
    path: str
    handler: Handler
    status: int
    scopes: tuple[str, ...]
    """Any of these lets a token in."""
    anonymous: bool
    """Whether callers without a credential are let in."""
    admin: bool
    """Whether only administrators are let in."""
    writes: bool
    """Whether it changes something, as a `GET` should not: then a session alone is not enough."""
    streamed: bool
    """Whether the handler reads the body itself, in pieces; its parameters are those of the query."""
    captures: dict[str, type]
    params: dict[str, type[Params]]
    paged: str | None
    """The name under which the handler takes its page."""
    fixed: dict[str, str]
    """The values that the registration passes to the handler: its `kind`, where one handler serves several kinds."""

    @property
    def returns(self) -> Any:
        """The handler's return type: what a success answers with."""
        return get_type_hints(self.handler).get("return", Any)

    @property
    def kind(self) -> str | None:
        """The kind of things that the handler serves here; None: it serves one kind."""
        return self.fixed.get("kind")

    @property
    def name(self) -> str:
        """The name of the handler; `owner` in it stands for the kind: `list_owner_labels` for `list_project_labels`."""
        name = self.handler.__name__
        return name.replace("owner", self.kind) if self.kind else name

    @property
    def segments(self) -> list[str]:
        return self.path.strip("/").split("/")


def _marker(verb: Verb) -> Callable[..., Callable[[Function], Function]]:
    def at(
        *paths: str,
        status: int | None = None,
        scopes: tuple[str, ...] = API,
        anonymous: bool = False,
        admin: bool = False,
        writes: bool = verb != "GET",
        streamed: bool = False,
        **kinds: str | tuple[str, ...],
    ) -> Callable[[Function], Function]:
        """A path given by keyword passes the keyword to the handler as `kind`: `group="/groups/:id/members"`.

        A kind that the API addresses in several ways has a tuple of paths.
        """

        def mark(handler: Function) -> Function:
            kindred = [
                (path, kind)
                for kind, given in kinds.items()
                for path in (given if isinstance(given, tuple) else (given,))
            ]
            each = [*((path, None) for path in paths), *kindred]
            routes = [
                _route(verb, path, kind, handler, status or _SUCCESS[verb], scopes, anonymous, admin, writes, streamed)
                for path, kind in each
            ]
            setattr(handler, _MARK, [*getattr(handler, _MARK, []), *routes])
            return handler

        return mark

    return at


def _route(
    verb: Verb,
    path: str,
    kind: str | None,
    handler: Handler,
    status: int,
    scopes: tuple[str, ...],
    anonymous: bool,
    admin: bool,
    writes: bool,
    streamed: bool,
) -> Route:
    names = [part[1:] for part in path.split("/") if is_capture(part)]
    captures: dict[str, type] = {}
    params: dict[str, type[Params]] = {}
    paged: str | None = None
    for name, hint in parameters_of(handler).items():
        if name in names:
            captures[name] = hint
        elif hint is Page:
            paged = name
        elif isinstance(hint, type) and issubclass(hint, Params):
            params[name] = hint
        elif name != "kind" or kind not in get_args(hint):
            raise TypeError(f"{handler.__qualname__}: {name} is neither in {path} nor parameters nor a page")
    for name in names:
        if captures.get(name) not in (int, Ref, Digits, Segment):
            raise TypeError(f"{handler.__qualname__}: :{name} must be declared as int, Ref, Digits or Segment")
    fixed = {"kind": kind} if kind is not None else {}
    return Route(
        verb=verb, path=path, handler=handler, status=status, scopes=scopes, anonymous=anonymous, admin=admin,
        writes=writes, streamed=streamed, captures=captures, params=params, paged=paged, fixed=fixed,
    )  # fmt: skip


get = _marker("GET")
post = _marker("POST")
put = _marker("PUT")
patch = _marker("PATCH")
delete = _marker("DELETE")


def marked(function: object) -> list[Route]:
    """The routes a function answers."""
    return getattr(function, _MARK, [])


def routes_of(product: Product) -> list[Route]:
    """Every route of the `routes.py` of each slice, in the order in which they are written there."""
    return [route for module in product.modules("routes") for route in _in_order(module)]


def _in_order(module: ModuleType) -> Iterator[Route]:
    """Handlers that are named after the owner come once for each kind of owner, one kind after the other."""
    own = (value for value in vars(module).values() if getattr(value, "__module__", None) == module.__name__)
    routes = [route for value in own for route in marked(value)]
    for of_owner, block in groupby(routes, key=lambda route: "owner" in route.handler.__name__):
        found = list(block)
        kinds = [route.kind for route in found]
        yield from sorted(found, key=lambda route: kinds.index(route.kind)) if of_owner else found
