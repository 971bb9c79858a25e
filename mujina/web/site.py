"""Serves HTML pages: finds the session, checks the form token, then renders the page or redirects, with security headers."""

from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast
from urllib.parse import unquote

import falcon
import falcon.asgi
from falcon.asgi import Request
from falcon.asgi import Response as FalconResponse

from mujina.accounts.sessions import operations as sessions
from mujina.accounts.sessions.rules import find_session
from mujina.kernel import errors, secrets
from mujina.kernel.api import error_for
from mujina.kernel.bodies import read_body
from mujina.kernel.errors import ApiError
from mujina.kernel.forms import Tree, read_query
from mujina.kernel.http import SESSION_COOKIE, Response, WireResponse, error_response, response_for
from mujina.kernel.pages import Browser, Cookie, HtmlPage, Obligation, PageRequest, PageRoute, Redirect, Session
from mujina.kernel.request_log import record_of
from mujina.kernel.services import Services
from mujina.kernel.storage_errors import storage_problem
from mujina.kernel.templates import render
from mujina.kernel.urls import InstanceAddress, instance_address, with_target

HERE = Path(__file__).parent
STYLE = (HERE / "static" / "mujina.css").read_bytes()
ICON = (HERE / "static" / "favicon.ico").read_bytes()
OBLIGATION_PAGES: dict[Obligation, str] = {
    "password": "/profile/password/new",
    "second factor": "/profile/two_factor_auth",
}
ANONYMOUS_FORM_SECONDS = 7 * 24 * 3600
"""How long a form shown to an anonymous visitor stays valid."""
MAX_FORM_BYTES = 1024 * 1024

_CONTENT_POLICY = "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; frame-ancestors 'none'"
_SECURITY_HEADERS = {
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


def build_site(services: Services, pages: Iterable[PageRoute]) -> Callable[..., Awaitable[None]]:
    """The ASGI application of all pages."""
    site = Site(services)
    app = falcon.asgi.App[Request, FalconResponse](middleware=cast("Any", [PageMiddleware(services)]))
    app.add_error_handler(Exception, site.show_unexpected_error)
    app.add_error_handler(falcon.HTTPError, site.show_http_error)
    app.add_error_handler(ApiError, site.show_error)
    by_path: dict[str, dict[str, PageRoute]] = defaultdict(dict)
    for page in pages:
        by_path[page.path][page.verb] = page
    views = {path: verbs["GET"] for path, verbs in by_path.items() if "GET" in verbs}
    for path, verbs in by_path.items():
        app.add_route(path, site.resource(path, verbs, views))
    app.add_route("/assets/mujina.css", _asset("text/css; charset=utf-8", STYLE, max_age=3600))
    app.add_route("/favicon.ico", _asset("image/x-icon", ICON, max_age=24 * 3600))

    async def respond(scope: dict[str, Any], receive: Any, send: Any) -> None:
        await app(scope, receive if scope["method"] == "POST" else _no_body, send)

    return respond


async def _no_body() -> dict[str, Any]:
    """Falcon reads the body before it routes; asking the server's thread for an empty one costs more than routing."""
    return {"type": "http.request", "body": b"", "more_body": False}


def _asset(content_type: str, data: bytes, *, max_age: int) -> SimpleNamespace:
    """A falcon resource for a file that everybody may cache for so many seconds."""

    async def respond(_: Request, response: FalconResponse) -> None:
        response.content_type = content_type
        response.set_header("Cache-Control", f"public, max-age={max_age}")
        response.data = data

    return SimpleNamespace(path="/assets", on_get=respond, on_head=respond)


class Site:
    """Serves every page; knows sessions and forms, but no noun of the product."""

    def __init__(self, services: Services) -> None:
        self.services = services

    def resource(self, path: str, verbs: dict[str, PageRoute], views: dict[str, PageRoute]) -> SimpleNamespace:
        """A falcon resource for one path and its verbs."""
        resource = SimpleNamespace(path=path)
        for verb, page in verbs.items():
            respond = self._responder(page, views.get(page.again))
            setattr(resource, f"on_{verb.lower()}", respond)
            if verb == "GET":
                resource.on_head = respond
        return resource

    def _responder(self, page: PageRoute, form_page: PageRoute | None) -> Any:
        async def respond(request: Request, response: FalconResponse, **captured: str) -> None:
            instance_address.set(
                InstanceAddress(self.services.settings.external_url or f"{request.scheme}://{request.netloc}")
            )
            page_request = await self._authorize(page, request, form_page)
            if isinstance(page_request, Redirect):
                _redirect(response, page_request, request)
                return
            request.context.page_request = page_request
            page_request.captured = {name: unquote(value).replace("\0", "") for name, value in captured.items()}
            try:
                result = await page.handler(page_request)
            except ApiError as error:
                if page.programs:
                    _write_reply(response, error_response(error))
                    return
                if page.verb == "GET" or not page.guarded or form_page is None or error.status >= 500:
                    raise
                page_request.problems = error.sentences
                result = await form_page.handler(page_request)
                response.status = 422
            self._write(page_request, response, result)

        return respond

    async def _authorize(
        self, page: PageRoute, request: Request, form_page: PageRoute | None
    ) -> PageRequest | Redirect:
        """Return the page request, or where the visitor must go first; raise on a form without our token."""
        cookie = request.cookies.get(SESSION_COOKIE, "")
        session, renewed = await self._session(cookie, request)
        if session is not None:
            record_of(request.scope).acts(session.actor)
        if session is None and not page.anonymous:
            return Redirect(with_target("/users/sign_in", _target(page, request, form_page)))
        tree: Tree = read_query(request.query_string)
        if page.verb == "POST":
            tree |= await read_body(request, MAX_FORM_BYTES)
        if page.guarded and not _has_form_token(cookie, tree, request):
            raise errors.stale_form()
        if session is not None and session.debt is not None and session.debt not in page.settles:
            return Redirect(with_target(OBLIGATION_PAGES[session.debt], _target(page, request, form_page)))
        # A browser without a cookie gets one, so that the form it shows is bound to this browser.
        page_request = PageRequest(self.services, request, session, cookie or secrets.new_oauth_token(), tree)
        page_request.new_cookie = (
            renewed if cookie or page.programs else Cookie(page_request.cookie, ANONYMOUS_FORM_SECONDS)
        )
        return page_request

    async def _session(self, cookie: str, request: Request) -> tuple[Session | None, Cookie | None]:
        """Return the session, and its cookie if this request extended it."""
        if not cookie:
            return None, None
        async with self.services.database.reading() as tx:
            session = await find_session(tx, cookie)
        if session is None or not session.prolong:
            return session, None
        try:
            async with self.services.database.transaction() as tx:
                return session, await sessions.prolong(tx, session, cookie, Browser.of(request))
        except Exception as error:
            if storage_problem(error) is None:  # with full storage, reading goes on
                raise
            return session, None

    def _write(
        self, page_request: PageRequest, response: FalconResponse, result: HtmlPage | Redirect | Response
    ) -> None:
        if page_request.new_cookie is not None:
            _set_cookie(response, page_request.new_cookie)
        if isinstance(result, Redirect):
            _redirect(response, result, page_request.http)
        elif isinstance(result, Response):
            _write_reply(response, response_for(result, 200, page_request.http))
        else:
            self._show(response, result, page_request)

    def _show(self, response: FalconResponse, page: HtmlPage, page_request: PageRequest) -> None:
        if page.status != 200:
            response.status = page.status
        response.content_type = "text/html; charset=utf-8"
        policy = _CONTENT_POLICY if page.leads_outside else f"{_CONTENT_POLICY}; form-action 'self'"
        response.set_header("Content-Security-Policy", policy)
        response.data = render(
            HERE / "templates",
            page.template,
            request=page_request,
            me=page_request.actor,
            problems=page_request.problems,
            **page.words,
        ).encode()

    async def show_error(self, request: Request, response: FalconResponse, error: ApiError, *_: Any) -> None:
        """Show the error as a page to browsers and as JSON to programs."""
        if request.get_header("Accept") in (None, "*/*") or not request.client_accepts("text/html"):
            _write_reply(response, error_response(error))
            return
        page_request = getattr(request.context, "page_request", None) or PageRequest(
            self.services, request, None, "", {}
        )
        page_request.problems = []
        self._show(
            response, HtmlPage("refused.html", {"status": error.status, "sentences": error.sentences}), page_request
        )
        response.status = error.status
        for name, value in error.headers.items():
            response.set_header(name, value)

    async def show_http_error(
        self, request: Request, response: FalconResponse, error: falcon.HTTPError, *_: Any
    ) -> None:
        known = {404: errors.unknown_route(), 405: errors.method_not_allowed(["GET", "POST"])}
        unknown = ApiError(error.status_code, {"message": error.title})
        await self.show_error(request, response, known.get(error.status_code, unknown))

    async def show_unexpected_error(
        self, request: Request, response: FalconResponse, error: Exception, *_: Any
    ) -> None:
        await self.show_error(request, response, error_for(error, request.path))


def _target(page: PageRoute, request: Request, form_page: PageRoute | None) -> str:
    """The page to show after signing in, or after an obligation is met: the requested one, or the one that shows the form, which is not sent again."""
    if form_page is None:
        return "/"
    return request.relative_uri if form_page.path == page.path else form_page.path


def _set_cookie(response: FalconResponse, cookie: Cookie) -> None:
    if not cookie.value:
        response.unset_cookie(SESSION_COOKIE, path="/", same_site="Lax")
        return
    response.set_cookie(
        SESSION_COOKIE, cookie.value, max_age=cookie.seconds,
        path="/", http_only=True, same_site="Lax", secure=instance_address.get().base.startswith("https:"),
    )  # fmt: skip


def _has_form_token(cookie: str, tree: Tree, request: Request) -> bool:
    token = tree.get("authenticity_token") or request.get_header("X-CSRF-Token")
    return bool(cookie) and isinstance(token, str) and secrets.same(token, secrets.form_token(cookie))


def _write_reply(response: FalconResponse, reply: WireResponse) -> None:
    """Copy a response for programs."""
    response.status = reply.status
    response.set_headers(dict(reply.headers))
    if reply.body is not None:
        response.content_type = reply.content_type
        response.data = cast("bytes", reply.body)


def _redirect(response: FalconResponse, redirect: Redirect, request: Request) -> None:
    response.status = 303 if request.method == "POST" else 302
    response.set_header("Location", redirect.path)


class PageMiddleware:
    """Adds security headers to every page and names its route in the access log."""

    def __init__(self, services: Services) -> None:
        secure = (services.settings.external_url or "").startswith("https:")
        self._security_headers = _SECURITY_HEADERS | (
            {"Strict-Transport-Security": "max-age=31536000"} if secure else {}
        )

    async def process_response(self, request: Request, response: FalconResponse, resource: object, _: bool) -> None:
        headers = response.headers
        response.set_headers(
            {name: value for name, value in self._security_headers.items() if name.lower() not in headers}
        )
        record_of(request.scope).route = getattr(resource, "path", "")
