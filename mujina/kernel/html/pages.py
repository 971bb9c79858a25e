"""Pages: a handler gets a request and returns a page or a redirect. Every page works without JavaScript.

    @view("/{project}/issues/{iid:int}")
    async def show_issue(request: PageRequest, project: ProjectRow, iid: int) -> HtmlPage: ...

    @form("/{project}/issues/{iid:int}/close", again="/{project}/issues/{iid:int}")
    async def close_issue(request: PageRequest, project: ProjectRow, iid: int) -> Redirect: ...

A form with errors is shown again by the view of the same path (or `again`), with the errors in `request.problems`.
`/{owner}/labels` is a page of projects and one of groups; rules that differ are given for each.
`docs/add-a-page.md` shows a whole page.
"""

from collections.abc import Awaitable, Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast
from urllib.parse import quote, urlencode

import msgspec

from mujina.kernel import deferred_imports, secrets
from mujina.kernel.errors import ApiError
from mujina.kernel.html.form_problems import explain, is_about_fields, sentence_of, title_of
from mujina.kernel.html.owners import OwnerKind, RuleOfOwner, address_of, kinds_of, rights_of, rule_of
from mujina.kernel.html.page_arguments import Arguments, read_arguments
from mujina.kernel.http import params
from mujina.kernel.http.dispatcher import DatabaseAccess, Response
from mujina.kernel.http.forms import Tree
from mujina.kernel.http.paging import SECRETS, flatten
from mujina.kernel.http.params import Declared, Params
from mujina.kernel.http.requests.origins import Origin, origin_of_browser
from mujina.kernel.permissions.actor import ANONYMOUS, Actor
from mujina.kernel.permissions.rules import Rule
from mujina.kernel.product import Product
from mujina.kernel.services import Services
from mujina.kernel.urls import is_local

if TYPE_CHECKING:
    from falcon.asgi import Request

NOT_NOW = "This can't be done now. The page shows how things are."

_titles_in = deferred_imports.function("mujina.kernel.html.field_titles", "titles_in")

SetupStep = Literal["password", "second factor"]
"""The steps that a user has to complete after signing in before any other page opens."""


class Session(msgspec.Struct, frozen=True):
    """A browser session of a signed-in user."""

    id: int
    actor: Actor
    pending_setup: SetupStep | None
    second_factor_due_at: str | None
    """The deadline for enabling two-factor authentication."""
    prolong: bool
    """Whether this request extends it."""
    start_page: str
    """The page of one's own work that `/` shows."""
    project_view: str
    """The content of the home page of a project."""
    avatar: str
    """The path of the user's image; empty: none."""


class Cookie(msgspec.Struct, frozen=True):
    """A cookie and its lifetime in seconds."""

    value: str
    seconds: int


FORGOTTEN = Cookie("", 0)
"""Removes the cookie from the browser."""


NOTE = "note_"
"""The prefix of the ids of elements that are notes."""


class HtmlPage(msgspec.Struct, frozen=True):
    """A page: a template and its values."""

    template: str
    context: Mapping[str, Any] = {}
    status: int = 200
    leads_outside: bool = False
    """Whether its form may redirect to another site, as the consent page of OAuth does."""
    fragments: tuple[str, ...] = ()
    """Blocks of the template. htmx gets the one whose name is the id of its target instead of the whole page."""
    parts: Mapping[str, tuple[str, ...]] = {}
    """The blocks by the id of the target, where it is not the name of a block, or where other blocks change with it.
    `NOTE` stands for the ids of all notes.
    """
    content_type: str = "text/html; charset=utf-8"
    """Another type for feeds, which are templates as well."""

    def blocks_for(self, target: str | None) -> tuple[str, ...]:
        """The blocks that htmx gets for this target; none: the whole page."""
        if target is None:
            return ()
        if target.startswith(NOTE):
            target = NOTE
        return self.parts.get(target) or ((target,) if target in self.fragments else ())


class Redirect(msgspec.Struct, frozen=True):
    """A redirect to `path`, on this site unless it was validated."""

    path: str
    flash: str = ""
    """A sentence that the next page shows once."""
    permanent: bool = False
    whole: bool = False
    """The form changed more than the part of the page that a script asked for: it loads the whole page."""


class ShowFormAgain(msgspec.Struct, frozen=True):
    """The view that shows a refused form shows it again with what was entered: nothing is refused, and nothing was done."""


class Container(msgspec.Struct, frozen=True, dict=True):
    """The project or group that an address starts with, as far as the actor may read it."""

    kind: OwnerKind
    row: Any
    """A `ProjectRow` or a `GroupRow`."""
    avatar: str
    """The path of its image; empty: none."""
    parent_path: str
    parent_name: str
    rights: Mapping[str, bool]
    """The answers to the rules that the page and the navigation ask."""
    counts: Mapping[str, int]
    """The numbers that the navigation shows."""

    @cached_property
    def path(self) -> str:
        """`/group/project`: what the addresses of its pages start with."""
        return quote(f"/{self.row.full_path}")

    @property
    def here(self) -> str:
        """`/group/project` or `/groups/group/-`: what the addresses of pages about its parts start with."""
        return self.path if self.kind == "project" else f"/groups{self.path}/-"

    @cached_property
    def branch(self) -> str:
        """The default branch of a project, as addresses spell it; empty if it has none."""
        return quote(getattr(self.row, "default_branch", None) or "")


class PageRequest(DatabaseAccess):
    """One request for a page: the session, the form and the services."""

    def __init__(self, services: Services, http: "Request", session: Session | None, cookie: str, tree: Tree) -> None:
        self.services = services
        self.http = http
        self.session = session
        self.cookie = cookie
        """The cookie; without a session it only ties forms to the browser that got them."""
        self.tree = tree
        """The query and the form."""
        self.query: Tree = {}
        """The query alone."""
        self.captured: Mapping[str, str] = {}
        """The captures of the path, decoded: `username` of `/{username}.keys`."""
        self.route: PageRoute | None = None
        """The page that the address selects."""
        self.container: Container | None = None
        """The project or group of the address."""
        self.reasons: list[str] = []
        """The complaints about a refused form as a whole."""
        self.field_problems: Mapping[str, list[str]] = {}
        """The complaints about single fields, by the field's name."""
        self.field_titles: dict[str, str] = {}
        """The labels of these fields on the page; known when the form has been rendered."""
        self.again = False
        """Whether a form is shown again with what was entered, as for a preview."""
        self.new_cookie: Cookie | None = None
        """Set to be sent."""
        self.token_user: Actor | None = None
        """The user of the token of a request without a session; set where the page takes one."""
        self.flash = ""
        """The sentence that the page before left for this one."""
        self.nonce = secrets.new_nonce()
        """Allows our own scripts of this response, and no other."""

    @property
    def actor(self) -> Actor:
        return self.session.actor if self.session else self.token_user or ANONYMOUS

    @property
    def rights(self) -> Mapping[str, bool]:
        """The answers to the rules of `@view(rights=…)`."""
        return self.container.rights if self.container else {}

    @property
    def here(self) -> str:
        """What the addresses of pages about parts of the project, the group or the instance start with."""
        return self.container.here if self.container else "/admin"

    @property
    def address(self) -> str:
        """The address of the client or of the proxy before this server."""
        return self.http.remote_addr

    @property
    def origin(self) -> Origin:
        return origin_of_browser(self.http)

    @cached_property
    def form_token(self) -> str:
        """The CSRF token of every form of this response: no other site can read it or make it. Different in each response,
        so that the size of a compressed page tells nothing about it.
        """
        return secrets.masked_form_token(self.cookie)

    @cached_property
    def fragment(self) -> str | None:
        """The id of the element that htmx wants to replace; None if a whole page is asked for."""
        if self.http.get_header("HX-Request") != "true":
            return None
        return self.http.get_header("HX-Target") or ""

    def refuse(self, error: ApiError) -> None:
        """Show these complaints with the form, in words also if the error says no more than its status."""
        reasons = [NOT_NOW] if error.generic else error.reasons
        self.reasons = [] if is_about_fields(error) else reasons
        self.field_problems = explain(error.by_field, self.tree)

    def read_titles(self, page: str) -> None:
        """Learn from the rendered page what it calls the fields of the refused form."""
        self.field_titles = _titles_in(page, self.http.path)

    @property
    def problems(self) -> list[str]:
        """Every complaint as a sentence, which names the field by its title."""
        return self.reasons or [
            sentence_of(title_of(self.field_titles, field), complaint)
            for field, complaints in self.field_problems.items()
            for complaint in complaints
        ]

    def kept(self, name: str, otherwise: Any = "") -> Any:
        """The value of a field: what the user entered if the form is shown again, otherwise the stored value."""
        if not self.problems and not self.again:
            return otherwise
        value: Any = self.tree
        for part in name.replace("]", "").split("["):
            if part:
                value = cast("Tree", value).get(part) if isinstance(value, dict) else None
        return otherwise if value is None else value

    def draft(self, name: str) -> str | None:
        """The text of a field that a preview shows; None if no preview is asked for."""
        return str(self.kept(name)) if self.again else None

    def link(self, **changes: Any) -> str:
        """The query of this page with these parameters changed: `?state=closed&page=2`. None removes one."""
        chosen = {name: value for name, value in changes.items() if value is not None}
        query = urlencode(flatten(self.query, *SECRETS, *changes) + flatten(chosen))
        return f"?{query}" if query else self.http.path

    def read_form(self, declared: type[Declared], under: str | None = None) -> Declared:
        """The values of the form: `user[login]` is `login` under `user`."""
        tree: Any = self.tree if under is None else self.tree.get(under)
        return params.read(declared, cast("Tree", tree) if isinstance(tree, dict) else {})

    def target(self, otherwise: str) -> str:
        """The page to show when this one is done, if it is on this site."""
        target = self.tree.get("target")
        return target if isinstance(target, str) and is_local(target) else otherwise


Result = HtmlPage | Redirect | Response
Handler = Callable[..., Awaitable[Result | ShowFormAgain]]
Function = TypeVar("Function", bound=Handler)
_MARK = "__pages__"
OpensWith = Literal["feed token", "API token"] | None
_READABLE_BY_RULE = ("/{project}", "/{group}", "/groups/{group}", "/{username}")
"""A rule decides what a page below these shows, also for anonymous visitors."""


class PageRoute(msgspec.Struct, frozen=True):
    """A method and a path with the handler and the conditions of access."""

    verb: Literal["GET", "POST"]
    path: str
    handler: Handler
    anonymous: bool
    """Whether it opens without signing in; other pages redirect to the sign-in page."""
    satisfies: tuple[SetupStep, ...]
    """It opens although the user has one of these setup steps to complete."""
    guarded: bool
    """Whether it requires the CSRF token of our own forms."""
    for_clients: bool
    """Whether it is for API clients, which send their own credentials and get no cookie."""
    again: str
    """The path whose view shows a form with errors again."""
    to: Rule | None
    """The rule that the actor must meet in the project or group; None: reading it."""
    rights: tuple[tuple[str, Rule], ...]
    """Further rules that the look-up of the project or group answers: `request.rights["edit"]`."""
    admin: bool
    """Whether it exists for administrators only."""
    arguments: Arguments
    max_body: int
    """The largest form in bytes of those who are signed in (`web/form_bodies.py`)."""
    opens_with: OpensWith
    """The credential that the page accepts besides a session."""
    streamed: bool
    """Whether the handler reads a long body itself, as it arrives, and then calls `take_form`; a short one is read before."""

    async def respond(self, request: PageRequest) -> Result | ShowFormAgain:
        """The result of the handler; the request holds what its signature declares."""
        row = request.container.row if request.container else None
        return await self.handler(request, **self.arguments.read(request.captured, request.tree, row))


MAX_FORM_BYTES = 1024 * 1024


def _marker(
    verb: Literal["GET", "POST"], *, guarded: bool, for_clients: bool = False, opens_with: OpensWith = None
) -> Callable[..., Callable[[Function], Function]]:
    def at(
        path: str, *, anonymous: bool | None = None, satisfies: tuple[SetupStep, ...] = (), again: str = "",
        to: RuleOfOwner | None = None, rights: Mapping[str, RuleOfOwner] | None = None, admin: bool = False,
        max_body: int = MAX_FORM_BYTES, streamed: bool = False,
    ) -> Callable[[Function], Function]:  # fmt: skip
        """`anonymous`: by default only views of a project, group or user, where a rule decides."""

        def mark(handler: Function) -> Function:
            for kind in kinds_of(path):
                here = address_of(path, kind)
                opens = verb == "GET" and here.startswith(_READABLE_BY_RULE) if anonymous is None else anonymous
                route = PageRoute(
                    verb=verb, path=here, handler=handler, anonymous=opens, satisfies=satisfies, guarded=guarded,
                    for_clients=for_clients, again=address_of(again or path, kind), to=rule_of(to, kind),
                    rights=rights_of(rights or {}, kind), admin=admin, arguments=read_arguments(handler, here),
                    max_body=max_body, opens_with=opens_with, streamed=streamed,
                )  # fmt: skip
                setattr(handler, _MARK, [*getattr(handler, _MARK, []), route])
            return handler

        return mark

    return at


view = _marker("GET", guarded=False)
form = _marker("POST", guarded=True)
endpoint = _marker("POST", guarded=False, for_clients=True)
document = _marker("GET", guarded=False, for_clients=True)
feed = _marker("GET", guarded=False, for_clients=True, opens_with="feed token")
download = _marker("GET", guarded=False, opens_with="API token")


def pages_of(product: Product) -> list[PageRoute]:
    """Every page of the `pages.py` of each slice, in the order in which they are written there."""
    return [
        route
        for module in product.modules("pages")
        for value in vars(module).values()
        if getattr(value, "__module__", None) == module.__name__
        for route in cast("list[PageRoute]", getattr(value, _MARK, []))
    ]


class Numbered(Params):
    """A form about one item of a list."""

    id: int


def leads_to_client(target: str) -> bool:
    """Whether the page at this target sends the browser on to an OAuth client, which is on another site."""
    return target.startswith("/oauth/authorize")


def confirmation(title: str, consequence: str, button: str, *, action: str, id: int, back: str) -> HtmlPage:
    """The page that asks before the form at `action` removes an item; `back` is where the user can cancel to."""
    context = {"heading": title, "consequence": consequence, "button": button, "action": action, "id": id, "back": back}
    return HtmlPage("confirm_removal.html", context)
