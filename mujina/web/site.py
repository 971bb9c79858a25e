"""The door of pages: who comes, whether the form is ours, then the page or the way elsewhere, with headers that guard it."""

import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast
from urllib.parse import quote, unquote

import falcon
import falcon.asgi
from falcon.asgi import Request
from falcon.asgi import Response as FalconResponse

from mujina.accounts.sessions import operations as sessions
from mujina.accounts.sessions.rules import find_session
from mujina.kernel import errors, secrets
from mujina.kernel.api import error_for, new_id
from mujina.kernel.bodies import read_body
from mujina.kernel.errors import ApiError
from mujina.kernel.forms import Tree, read_query
from mujina.kernel.http import SESSION_COOKIE, Response, WireResponse, error_response, response_for
from mujina.kernel.logs import bind
from mujina.kernel.pages import Cookie, HtmlPage, Obligation, PageRequest, PageRoute, Redirect, Session
from mujina.kernel.request_log import RequestLog
from mujina.kernel.services import Services
from mujina.kernel.templates import render
from mujina.kernel.urls import InstanceAddress, instance_address

HERE = Path(__file__).parent
STYLE = (HERE / "static" / "mujina.css").read_bytes()
SIGN_IN = "/users/sign_in"
SETTLE: dict[Obligation, str] = {"password": "/profile/password/new", "second factor": "/profile/two_factor_auth"}
STRANGERS_SECONDS = 7 * 24 * 3600
"""How long the form shown to somebody who is not signed in may be sent."""
MOST = 1024 * 1024
"""The largest form."""

_POLICY = "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; frame-ancestors 'none'"
_GUARDS = {
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


def build_site(services: Services, pages: Iterable[PageRoute]) -> Callable[..., Awaitable[None]]:
    """Every page behind one door."""
    site = Site(services)
    app = falcon.asgi.App[Request, FalconResponse](middleware=cast("Any", [Frame(services)]))
    app.add_error_handler(Exception, site.fail)
    app.add_error_handler(falcon.HTTPError, site.translate)
    app.add_error_handler(ApiError, site.refuse)
    by_path: dict[str, dict[str, PageRoute]] = defaultdict(dict)
    for page in pages:
        by_path[page.path][page.verb] = page
    views = {path: verbs["GET"] for path, verbs in by_path.items() if "GET" in verbs}
    for path, verbs in by_path.items():
        app.add_route(path, site.resource(path, verbs, views))
    app.add_route("/assets/mujina.css", SimpleNamespace(path="/assets", on_get=_style))

    async def answer(scope: dict[str, Any], receive: Any, send: Any) -> None:
        await app(scope, receive if scope["method"] == "POST" else _no_body, send)

    return answer


async def _no_body() -> dict[str, Any]:
    """Falcon asks for the body before it routes; waiting for the server's thread to say "none" costs more than routing."""
    return {"type": "http.request", "body": b"", "more_body": False}


async def _style(_: Request, response: FalconResponse) -> None:
    response.content_type = "text/css; charset=utf-8"
    response.set_header("Cache-Control", "public, max-age=3600")
    response.data = STYLE


class Site:
    """Answers one page after another; knows who is signed in, and no noun of the product."""

    def __init__(self, services: Services) -> None:
        self.services = services

    def resource(self, path: str, verbs: dict[str, PageRoute], views: dict[str, PageRoute]) -> SimpleNamespace:
        """One path with its verbs, as falcon wants it."""
        resource = SimpleNamespace(path=path)
        for verb, page in verbs.items():
            respond = self._responder(page, views.get(page.again))
            setattr(resource, f"on_{verb.lower()}", respond)
            if verb == "GET":
                resource.on_head = respond
        return resource

    def _responder(self, page: PageRoute, shown_again: PageRoute | None) -> Any:
        async def respond(request: Request, response: FalconResponse, **captured: str) -> None:
            instance_address.set(
                InstanceAddress(self.services.settings.external_url or f"{request.scheme}://{request.netloc}")
            )
            visit = await self._admit(page, request)
            if isinstance(visit, Redirect):
                _go(response, visit, request)
                return
            request.context.visit = visit
            visit.captured = {name: unquote(value).replace("\0", "") for name, value in captured.items()}
            try:
                answer = await page.handler(visit)
            except ApiError as refusal:
                if page.programs:
                    _put(response, error_response(refusal))
                    return
                if page.verb == "GET" or not page.guarded or shown_again is None or refusal.status >= 500:
                    raise
                visit.problems = refusal.sentences
                answer = await shown_again.handler(visit)
                response.status = 422
            self._write(visit, response, answer)

        return respond

    async def _admit(self, page: PageRoute, request: Request) -> PageRequest | Redirect:
        """The visit, or where the visitor must go first; a form that is not ours is error_response."""
        cookie = request.cookies.get(SESSION_COOKIE, "")
        session, held = await self._session(cookie)
        if session is None and not page.anonymous:
            wanted = request.relative_uri if request.method == "GET" else "/"
            return Redirect(f"{SIGN_IN}?target={quote(wanted, safe='/')}")
        tree: Tree = read_query(request.query_string)
        if page.verb == "POST":
            tree |= await read_body(request, MOST)
        if page.guarded and not _is_ours(cookie, tree, request):
            raise errors.stale_form()
        if session is not None and session.debt is not None and session.debt not in page.settles:
            return Redirect(SETTLE[session.debt])
        # Whoever has no cookie yet gets one, so that the form they are shown is tied to their browser.
        visit = PageRequest(self.services, request, session, cookie or secrets.new_oauth_token(), tree)
        visit.new_cookie = held if cookie or page.programs else Cookie(visit.cookie, STRANGERS_SECONDS)
        return visit

    async def _session(self, cookie: str) -> tuple[Session | None, Cookie | None]:
        """Who is signed in, and the cookie again if it was made to last longer just now."""
        if not cookie:
            return None, None
        async with self.services.database.reading() as tx:
            session = await find_session(tx, cookie)
        if session is None or not session.prolong:
            return session, None
        async with self.services.database.transaction() as tx:
            return session, await sessions.prolong(tx, session, cookie)

    def _write(self, visit: PageRequest, response: FalconResponse, answer: HtmlPage | Redirect | Response) -> None:
        if visit.new_cookie is not None:
            _set_cookie(response, visit.new_cookie)
        if isinstance(answer, Redirect):
            _go(response, answer, visit.request)
        elif isinstance(answer, Response):
            _put(response, response_for(answer, 200, visit.request))
        else:
            self._show(response, answer, visit)

    def _show(self, response: FalconResponse, page: HtmlPage, visit: PageRequest) -> None:
        if page.status != 200:
            response.status = page.status
        response.content_type = "text/html; charset=utf-8"
        policy = _POLICY if page.leads_outside else f"{_POLICY}; form-action 'self'"
        response.set_header("Content-Security-Policy", policy)
        response.data = render(
            HERE / "templates", page.template, visit=visit, me=visit.actor, problems=visit.problems, **page.words
        ).encode()

    async def refuse(self, request: Request, response: FalconResponse, refusal: ApiError, *_: Any) -> None:
        """People read a page, programs JSON."""
        if request.get_header("Accept") in (None, "*/*") or not request.client_accepts("text/html"):
            _put(response, error_response(refusal))
            return
        visit = getattr(request.context, "visit", None) or PageRequest(self.services, request, None, "", {})
        visit.problems = []
        self._show(response, HtmlPage("refused.html", {"status": refusal.status, "said": refusal.sentences}), visit)
        response.status = refusal.status
        for name, value in refusal.headers.items():
            response.set_header(name, value)

    async def translate(self, request: Request, response: FalconResponse, error: falcon.HTTPError, *_: Any) -> None:
        known = {404: errors.unknown_route(), 405: errors.method_not_allowed(["GET", "POST"])}
        unknown = ApiError(error.status_code, {"message": error.title})
        await self.refuse(request, response, known.get(error.status_code, unknown))

    async def fail(self, request: Request, response: FalconResponse, error: Exception, *_: Any) -> None:
        await self.refuse(request, response, error_for(error, request.path))


def _set_cookie(response: FalconResponse, cookie: Cookie) -> None:
    if not cookie.value:
        response.unset_cookie(SESSION_COOKIE, path="/", same_site="Lax")
        return
    response.set_cookie(
        SESSION_COOKIE, cookie.value, max_age=cookie.seconds,
        path="/", http_only=True, same_site="Lax", secure=instance_address.get().base.startswith("https:"),
    )  # fmt: skip


def _is_ours(cookie: str, tree: Tree, request: Request) -> bool:
    token = tree.get("authenticity_token") or request.get_header("X-CSRF-Token")
    return bool(cookie) and isinstance(token, str) and secrets.same(token, secrets.form_token(cookie))


def _put(response: FalconResponse, reply: WireResponse) -> None:
    """An answer for programs."""
    response.status = reply.status
    response.set_headers(dict(reply.headers))
    if reply.body is not None:
        response.content_type = reply.content_type
        response.data = cast("bytes", reply.body)


def _go(response: FalconResponse, there: Redirect, request: Request) -> None:
    response.status = 303 if request.method == "POST" else 302
    response.set_header("Location", there.path)


class Frame:
    """The headers that every page carries."""

    def __init__(self, services: Services) -> None:
        self._request_log = RequestLog(services.settings, services.database)
        secure = (services.settings.external_url or "").startswith("https:")
        self._guards = _GUARDS | ({"Strict-Transport-Security": "max-age=31536000"} if secure else {})

    async def process_request(self, request: Request, _: FalconResponse) -> None:
        request.context.started = time.perf_counter()
        request.context.id = new_id()
        bind(request_id=request.context.id)

    async def process_response(self, request: Request, response: FalconResponse, resource: object, _: bool) -> None:
        given = response.headers
        response.set_headers({name: value for name, value in self._guards.items() if name.lower() not in given})
        response.set_header("X-Request-Id", request.context.id)
        seconds = time.perf_counter() - request.context.started
        route = getattr(resource, "path", "other")
        self._request_log.record(request.method, request.path, route, response.status_code, seconds)
