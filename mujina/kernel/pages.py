"""Pages: a handler gets a request and returns a page or a redirect. Every page works without JavaScript.

    @view("/profile/keys")
    async def show_keys(request: PageRequest) -> HtmlPage: ...

    @form("/profile/keys")
    async def add_key(request: PageRequest) -> Redirect: ...

A form with errors is shown again by the view of the same path (or `again`), with the errors in `request.problems`.
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

MAX_USER_AGENT_LENGTH = 255

Obligation = Literal["password", "second factor"]
"""What a user has to set up after signing in before any other page opens."""


class Session(msgspec.Struct, frozen=True):
    """A browser session of a signed-in user."""

    id: int
    actor: Actor
    debt: Obligation | None
    second_factor_due_at: str | None
    """The deadline for enabling two-factor authentication."""
    prolong: bool
    """Whether this request extends it."""


class Cookie(msgspec.Struct, frozen=True):
    """A cookie and its lifetime in seconds."""

    value: str
    seconds: int


FORGOTTEN = Cookie("", 0)
"""Removes the cookie from the browser."""


class Browser(msgspec.Struct, frozen=True):
    """The browser that sent a request, as a list of sessions shows it."""

    user_agent: str
    address: str

    @staticmethod
    def of(request: Request) -> "Browser":
        user_agent = request.get_header("User-Agent") or ""
        return Browser(user_agent.replace("\0", "")[:MAX_USER_AGENT_LENGTH], request.remote_addr)


class HtmlPage(msgspec.Struct, frozen=True):
    """A page: a template and its values."""

    template: str
    words: Mapping[str, Any] = {}
    status: int = 200
    leads_outside: bool = False
    """Whether its form may redirect to another site, as the consent page of OAuth does."""


class Redirect(msgspec.Struct, frozen=True):
    """A redirect to `path`, on this site unless it was validated."""

    path: str


class PageRequest:
    """One request for a page: the session, the form and the services."""

    def __init__(self, services: Services, http: Request, session: Session | None, cookie: str, tree: Tree) -> None:
        self.services = services
        self.http = http
        self.session = session
        self.cookie = cookie
        """The cookie; without a session it only ties forms to the browser that got them."""
        self.tree = tree
        self.captured: Mapping[str, str] = {}
        """The captures of the path, decoded: `username` of `/{username}.keys`."""
        self.problems: list[str] = []
        self.new_cookie: Cookie | None = None
        """Set to be sent."""

    @property
    def actor(self) -> Actor:
        return self.session.actor if self.session else ANONYMOUS

    @property
    def address(self) -> str:
        """The address of the client, as far as is known."""
        return self.http.remote_addr

    @property
    def browser(self) -> Browser:
        return Browser.of(self.http)

    @property
    def form_token(self) -> str:
        """The CSRF token of every form: no other site can read it or make it."""
        return secrets.form_token(self.cookie)

    def read_form(self, declared: type[Declared], under: str | None = None) -> Declared:
        """The values of the form: `user[login]` is `login` under `user`."""
        tree: Any = self.tree if under is None else self.tree.get(under)
        return params.read(declared, cast("Tree", tree) if isinstance(tree, dict) else {})

    def target(self, otherwise: str) -> str:
        """The page to show when this one is done, if it is on this site."""
        target = self.tree.get("target")
        return target if isinstance(target, str) and is_local(target) else otherwise

    def reading(self) -> AbstractAsyncContextManager[Tx]:
        return self.services.database.reading()

    def transaction(self) -> AbstractAsyncContextManager[Tx]:
        return self.services.database.transaction()


Handler = Callable[[PageRequest], Awaitable[HtmlPage | Redirect | Response]]
Function = TypeVar("Function", bound=Handler)
_MARK = "__pages__"


class PageRoute(msgspec.Struct, frozen=True):
    """A method and a path with the handler and the conditions of access."""

    verb: Literal["GET", "POST"]
    path: str
    handler: Handler
    anonymous: bool
    """Whether it opens without signing in; other pages redirect to the sign-in page."""
    settles: tuple[Obligation, ...]
    """It opens although the user has one of these obligations."""
    guarded: bool
    """Whether it requires the CSRF token of our own forms."""
    programs: bool
    """Whether it is for programs, which send their own credentials and get no cookie."""
    again: str
    """The path whose view shows a form with errors again."""


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
    """A form about one item of a list."""

    id: int


def confirmation(title: str, consequence: str, button: str, *, action: str, id: int, back: str) -> HtmlPage:
    """The page that asks before the form at `action` removes an item; `back` is where the user can cancel to."""
    words = {"heading": title, "consequence": consequence, "button": button, "action": action, "id": id, "back": back}
    return HtmlPage("confirm_removal.html", words)
