"""Pages: a request becomes a visit, a visit a page or a way elsewhere. Every page works without JavaScript.

    @view("/profile/keys")
    async def show_keys(visit: PageRequest) -> HtmlPage: ...

    @form("/profile/keys")
    async def add_key(visit: PageRequest) -> Redirect: ...

A form that is refused is shown again by the view of the same path (or `again`), with what is wrong in `visit.problems`.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import AbstractAsyncContextManager
from types import ModuleType
from typing import Any, Literal, TypeVar, cast

import msgspec
from falcon.asgi import Request

from mujina.kernel import params, secrets
from mujina.kernel.actor import ANONYMOUS, Actor
from mujina.kernel.db.transaction import Tx
from mujina.kernel.forms import Tree
from mujina.kernel.http import Response
from mujina.kernel.params import Declared, Params
from mujina.kernel.services import Services
from mujina.kernel.urls import is_local

Obligation = Literal["password", "second factor"]
"""What somebody who is signed in has to choose or to set up before anything else."""


class Session(msgspec.Struct, frozen=True):
    """Somebody signed in."""

    id: int
    actor: Actor
    debt: Obligation | None
    second_factor_due_at: str | None
    """By when they have to set one up."""
    prolong: bool
    """Whether this use of it makes it last longer."""


class Cookie(msgspec.Struct, frozen=True):
    """What a browser is given to hold, for so many seconds."""

    value: str
    seconds: int


FORGOTTEN = Cookie("", 0)
"""The browser is to hold nothing any more."""


class HtmlPage(msgspec.Struct, frozen=True):
    """A page: a template and the words in it."""

    template: str
    words: Mapping[str, Any] = {}
    status: int = 200
    leads_outside: bool = False
    """Whether its form may end at another site, as a client's consent does."""


class Redirect(msgspec.Struct, frozen=True):
    """Go on there; `path` is one of ours unless it was checked."""

    path: str


class PageRequest:
    """One request for a page: who asks, the form they sent, and the services."""

    def __init__(self, services: Services, request: Request, session: Session | None, cookie: str, tree: Tree) -> None:
        self.services = services
        self.request = request
        self.session = session
        self.cookie = cookie
        """What the browser holds; without a session it only ties forms to the browser they were shown to."""
        self.tree = tree
        self.captured: Mapping[str, str] = {}
        """What the path names, decoded: `username` of `/{username}.keys`."""
        self.problems: list[str] = []
        self.new_cookie: Cookie | None = None
        """Set to be sent."""

    @property
    def actor(self) -> Actor:
        return self.session.actor if self.session else ANONYMOUS

    @property
    def address(self) -> str:
        """Where the visitor comes from, as far as is known."""
        return self.request.remote_addr

    @property
    def form_token(self) -> str:
        """What every form carries: no other site can read it or make it."""
        return secrets.form_token(self.cookie)

    def said(self, declared: type[Declared], under: str | None = None) -> Declared:
        """What was filled in: `user[login]` is `login` under `user`."""
        tree: Any = self.tree if under is None else self.tree.get(under)
        return params.read(declared, cast("Tree", tree) if isinstance(tree, dict) else {})

    def target(self, otherwise: str) -> str:
        """Where the visitor wanted to go, if that is on this site."""
        wanted = self.tree.get("target")
        return wanted if isinstance(wanted, str) and is_local(wanted) else otherwise

    def reading(self) -> AbstractAsyncContextManager[Tx]:
        return self.services.database.reading()

    def transaction(self) -> AbstractAsyncContextManager[Tx]:
        return self.services.database.transaction()


Handler = Callable[[PageRequest], Awaitable[HtmlPage | Redirect | Response]]
Function = TypeVar("Function", bound=Handler)
_MARK = "__pages__"


class PageRoute(msgspec.Struct, frozen=True):
    """A verb and a path with what is shown there, and to whom."""

    verb: Literal["GET", "POST"]
    path: str
    handler: Handler
    anonymous: bool
    """Whether visitors who are not signed in are let in; others are sent to sign in first."""
    settles: tuple[Obligation, ...]
    """To those who owe one of these it is open all the same."""
    guarded: bool
    """Whether it takes only what its own forms send."""
    programs: bool
    """Whether programs come here, which show a credential of their own and are given no cookie."""
    again: str
    """The path whose view shows a refused form again."""


def _marker(
    verb: Literal["GET", "POST"], *, guarded: bool, programs: bool = False
) -> Callable[..., Callable[[Function], Function]]:
    def at(
        path: str, *, anonymous: bool = False, settles: tuple[Obligation, ...] = (), again: str = ""
    ) -> Callable[[Function], Function]:
        def mark(handler: Function) -> Function:
            route = PageRoute(verb, path, handler, anonymous, settles, guarded, programs, again or path)
            setattr(handler, _MARK, [*getattr(handler, _MARK, []), route])
            return handler

        return mark

    return at


view = _marker("GET", guarded=False)
form = _marker("POST", guarded=True)
endpoint = _marker("POST", guarded=False, programs=True)
document = _marker("GET", guarded=False, programs=True)


def pages_of(modules: Iterable[ModuleType]) -> list[PageRoute]:
    """Every page of these modules, in the order in which they are written."""
    return [
        route
        for module in modules
        for value in vars(module).values()
        if getattr(value, "__module__", None) == module.__name__
        for route in cast("list[PageRoute]", getattr(value, _MARK, []))
    ]


class Numbered(Params):
    """A form about one thing of a list."""

    id: int
