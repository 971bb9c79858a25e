"""Serves HTML pages: finds the session and the page, checks the form token, then renders or redirects."""

from contextlib import suppress
from typing import Any, cast
from urllib.parse import quote

import falcon
import falcon.asgi
from falcon.asgi import Request
from falcon.asgi import Response as FalconResponse

from mujina.accounts.sessions import operations as sessions
from mujina.accounts.sessions.rules import find_session
from mujina.accounts.users.entities import find_profile
from mujina.kernel import errors, secrets
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import ApiError, Forbidden, IncompleteBody, NotFound
from mujina.kernel.html.pages import (
    Cookie,
    HtmlPage,
    PageRequest,
    PageRoute,
    Redirect,
    Result,
    Session,
    SetupStep,
    ShowFormAgain,
    pages_of,
)
from mujina.kernel.html.streamed_forms import check_form_token, is_awaited
from mujina.kernel.http.api import error_for
from mujina.kernel.http.applications import Application
from mujina.kernel.http.bodies import whole
from mujina.kernel.http.dispatcher import SESSION_COOKIE, error_response
from mujina.kernel.http.forms import Tree, read_query
from mujina.kernel.http.requests.log import record_of
from mujina.kernel.http.requests.origins import origin_of_browser
from mujina.kernel.limits.requests import RequestLimits
from mujina.kernel.services import Services
from mujina.kernel.storage.errors import storage_problem
from mujina.kernel.urls import InstanceAddress, instance_address, with_target
from mujina.web.admission import admission, opens_with, read_token, refuse_token, sign_in_for, target_of
from mujina.web.assets import find_asset
from mujina.web.entered_texts import entered_texts
from mujina.web.form_bodies import MAX_SHORT_BYTES, is_short, receive
from mujina.web.frame.frame import Frames
from mujina.web.frame.navigation import Navigation
from mujina.web.responses import SecurityHeaders, Writer, accepts_html, write_asset, write_reply
from mujina.web.urls.addresses import (
    Addresses,
    HiddenOwner,
    Matched,
    UrlOwner,
    decoded,
    find_former_owner,
    find_url_owner,
)
from mujina.web.urls.containers import features_of, find_container, role_for
from mujina.web.urls.last_pages import last_page
from mujina.web.urls.newer import newer_path, newer_rest
from mujina.workspaces.members.rules import REQUEST_ACCESS, REQUESTED

SETUP_STEP_PAGES: dict[SetupStep, str] = {
    "password": "/profile/password/new",
    "second factor": "/profile/two_factor_auth",
}
REQUEST = "request access"
"""The name of the right that the page of a refusal shows as a button."""
ANONYMOUS_FORM_SECONDS = 7 * 24 * 3600
"""How long a form shown to an anonymous visitor stays valid."""


def build(services: Services) -> Application:
    """All pages as one ASGI application."""
    web = WebApplication(services, pages_of(services.product))
    pages = falcon.asgi.App[Request, FalconResponse](middleware=cast("Any", [SecurityHeaders(services)]))
    pages.add_error_handler(Exception, web.show_unexpected_error)
    pages.add_error_handler(falcon.HTTPError, web.show_http_error)
    pages.add_error_handler(ApiError, web.show_error)
    pages.add_sink(cast("Any", web.respond), "/")

    async def respond(scope: dict[str, Any], receive: Any, send: Any) -> None:
        if scope["method"] in ("GET", "HEAD") and (asset := find_asset(scope["path"])) is not None:
            record_of(scope).route = "/assets"
            await write_asset(asset, scope, send)
            return
        with suppress(IncompleteBody):  # nothing of it has arrived: there is no one to answer
            await pages(scope, whole(receive) if scope["method"] == "POST" else _no_body, send)

    return respond


async def _no_body() -> dict[str, Any]:
    """Falcon reads the body before it routes; asking the server's thread for an empty one costs more than routing."""
    return {"type": "http.request", "body": b"", "more_body": False}


class WebApplication:
    """Serves every page; knows sessions, forms and addresses, but not what a page shows."""

    def __init__(self, services: Services, pages: list[PageRoute]) -> None:
        self.services = services
        self.limits = RequestLimits(services)
        self.limited = {(page.verb, page.path): self.limits.of_page(page.verb, page.path) for page in pages}
        self.addresses = Addresses(pages)
        self.navigation = Navigation(pages)
        self.writer = Writer(Frames(self.navigation))

    async def respond(self, request: Request, response: FalconResponse, **_: str) -> None:
        """Find the page and answer; who sends a form and what they may do is looked up when its body has arrived."""
        settings, host = self.services.settings, request.get_header("Host")  # HTTP/1.0 has none
        base = settings.external_url or (f"{request.scheme}://{host}" if host else settings.local_url)
        instance_address.set(InstanceAddress(base, *settings.ssh_address))
        if request.method == "POST" and is_short(request):
            await receive(request, MAX_SHORT_BYTES)
        page_request = await self._begin(request)
        method = "GET" if request.method == "HEAD" else request.method
        found = await self._find(page_request, decoded(request.path), method)
        if isinstance(found, Redirect):
            self.writer.redirect(page_request, response, found)
            return
        page = found.verbs.get(method)
        if page is None:
            record_of(request.scope).route = next(iter(found.verbs.values())).path
            raise errors.method_not_allowed(sorted(found.verbs))
        record_of(request.scope).route = page.path
        page_request.route = page
        page_request.captured = {name: value.replace("\0", "") for name, value in found.captured.items()}
        form_page = self.addresses.view(page.again)
        if (first := admission(page_request, page, form_page)) is not None:
            if entered_texts(request):  # what was written while the session ended is not thrown away
                raise errors.unauthorized()
            self.writer.redirect(page_request, response, first)
        elif is_awaited(request) and not page.streamed:
            # Only for those whom the page admits. It takes time: then everything is looked up again.
            await receive(request, MAX_SHORT_BYTES if page_request.actor.anonymous else page.max_body)
            await self.respond(request, response)
        else:
            await self._answer(page_request, response, page, form_page)

    async def _begin(self, request: Request) -> PageRequest:
        """The request with its session; the frame of an error page needs both."""
        cookie = request.cookies.get(SESSION_COOKIE, "")
        session, renewed = await self._session(cookie, request)
        if session is not None:
            record_of(request.scope).acts(session.actor)
        # A browser without a cookie gets one, so that the form it shows is bound to this browser.
        page_request = PageRequest(self.services, request, session, cookie or secrets.new_oauth_token(), {})
        page_request.new_cookie = renewed if cookie else Cookie(page_request.cookie, ANONYMOUS_FORM_SECONDS)
        self.writer.read_flash(page_request)
        request.context.page_request = page_request
        return page_request

    async def _session(self, cookie: str, request: Request) -> tuple[Session | None, Cookie | None]:
        """Return the session, and its cookie if this request extended it."""
        if not cookie:
            return None, None
        async with self.services.database.reading() as tx:
            session = await find_session(tx, cookie)
        if session is None or not session.prolong or is_awaited(request):
            return session, None
        try:
            async with self.services.database.transaction() as tx:
                return session, await sessions.prolong(tx, session, cookie, origin_of_browser(request))
        except Exception as error:
            if storage_problem(error) is None:  # with full storage, reading goes on
                raise
            return session, None

    async def _find(self, request: PageRequest, path: str, method: str) -> Matched | Redirect:
        """The page of the address, or where the address leads; 404 if there is nothing for this visitor."""
        reserved = self.addresses.is_reserved(path)
        if reserved and (matched := self.addresses.match("", path)) is not None:
            if kind := opens_with(request, matched.verbs.get(method)):
                async with request.reading() as tx:
                    await read_token(tx, request, kind)
            return matched
        query = f"?{request.http.query_string}" if request.http.query_string else ""
        async with request.reading() as tx:
            below_groups = path.startswith("/groups/")
            if reserved and not below_groups:
                newer = await newer_path(tx, request.actor, path) if method == "GET" else None
                return _moved(newer, query)
            request.http.context.hidden = True
            try:
                return await self._find_named(tx, request, path, method, query)
            except NotFound:
                if request.container is None:
                    await refuse_token(tx, request)
                raise

    async def _find_named(
        self, tx: Tx, request: PageRequest, path: str, method: str, query: str, hidden: frozenset[str] = frozenset()
    ) -> Matched | Redirect:
        """The page below a name; names of what the visitor may not see are `hidden`, and count as free."""
        below_groups = path.startswith("/groups/")
        owned = path.removeprefix("/groups") if below_groups else path
        owner = await find_url_owner(tx, owned, of_group=below_groups, hidden=hidden)
        # Below a group, the path may be one that a project or group had before.
        unknown = owner is None or (owner.kind == "group" and owner.rest.startswith("/") and "/-/" not in owner.rest)
        former = await self._find_former(tx, request, owned) if unknown and method == "GET" else None
        if former is not None:
            prefix = "/groups" if below_groups and former.kind == "group" else ""
            return Redirect(f"{prefix}{quote(f'/{former.path}{former.rest}')}{query}")
        if owner is None:
            raise errors.unknown_route()
        try:
            return await self._find_below(tx, request, owner, method, below_groups=below_groups)
        except HiddenOwner:
            return await self._find_named(tx, request, path, method, query, hidden | {owner.path})

    async def _find_below(
        self, tx: Tx, request: PageRequest, owner: UrlOwner, method: str, *, below_groups: bool
    ) -> Matched | Redirect:
        matched = self.addresses.match(owner.kind, owner.rest)
        if matched is not None and (kind := opens_with(request, matched.verbs.get(method))):
            await read_token(tx, request, kind)
        if owner.kind == "username":
            if matched is None or method not in matched.verbs:
                raise errors.unknown_route()
            return Matched(matched.verbs, {**matched.captured, "username": owner.path})
        if owner.kind == "group" and not below_groups and owner.rest.startswith("/"):
            matched = None
        page = matched.verbs.get(method) if matched else None
        # Visitors are asked to sign in only if they may read the project, group or user of the address.
        signs_in = page is not None and not page.anonymous and request.actor.anonymous
        try:
            await self._enter(tx, request, owner, None if signs_in else page)
        except NotFound as error:
            raise error if request.container else HiddenOwner from None
        if matched is not None:
            return matched
        assert request.container is not None
        newer = newer_rest(self.addresses, request.container, owner.rest, below_groups=below_groups)
        if newer is None or method != "GET":
            if owner.kind == "group":
                request.container = None  # as for a project or subgroup that the visitor may not see
            raise errors.unknown_route()
        return _moved(newer, f"?{q}" if (q := request.http.query_string) else "")

    async def _enter(self, tx: Tx, request: PageRequest, owner: UrlOwner, page: PageRoute | None) -> None:
        """Load the project or group for this page: 404 if its feature is off; a refusal says which role the page needs."""
        kind = "project" if owner.kind == "project" else "group"
        rights = dict(self.navigation.rights[kind])
        for shown in (page, self.addresses.view(page.again) if page else None):
            rights |= dict(shown.rights) if shown else {}
        try:
            request.container = await find_container(
                tx, request.actor, kind, owner.id, rights, to=page.to if page else None
            )
        except Forbidden:
            features = features_of(page.to) if page and page.to else {}
            asked = {REQUEST: REQUEST_ACCESS[kind] & ~REQUESTED[kind], **self.navigation.rights[kind], **features}
            request.container = await find_container(tx, request.actor, kind, owner.id, asked)
            if not all(request.rights[name] for name in features):
                raise errors.unknown_route() from None
            request.http.context.role = role_for(page.to) if page and page.to else None
            raise

    async def _find_former(self, tx: Tx, request: PageRequest, path: str) -> UrlOwner | None:
        """Where that is now which had the path before; None if the visitor may not see it there."""
        former = await find_former_owner(tx, path)
        try:
            if former is not None and former.kind == "username":
                await find_profile(tx, request.actor, former.path)
            elif former is not None:
                await self._enter(tx, request, former, None)
        except NotFound:
            return None
        return former

    async def _answer(
        self, request: PageRequest, response: FalconResponse, page: PageRoute, form_page: PageRoute | None
    ) -> None:
        first = self._read_form(request, page, form_page)
        if first is not None:
            self.writer.redirect(request, response, first)
            return
        if page.for_clients:
            request.new_cookie = None
        result: Result
        try:
            if page.guarded and not is_awaited(request.http):
                check_form_token(request)
            await self.limits.count(self.limited[page.verb, page.path], request.actor)
            result = await self._respond(request, page, form_page)
        except ApiError as error:
            if page.for_clients:
                write_reply(response, error_response(error))
                return
            if page.verb == "GET" or not page.guarded or form_page is None or error.status >= 500:
                raise
            result = await self._again(request, form_page, error)
            response.status = error.status if error.status in (409, 429) else 422
            response.set_headers(error.headers)
        await self.writer.write(request, response, result)

    async def _respond(self, request: PageRequest, page: PageRoute, form_page: PageRoute | None) -> Result:
        """The result of the page, or of the view that shows its form again."""
        result = await page.respond(request)
        if isinstance(result, ShowFormAgain) and form_page is not None:
            request.again = True
            result = await form_page.respond(request)
        beyond = last_page(request, result) if isinstance(result, HtmlPage) else None
        return beyond or cast("Result", result)

    async def _again(self, request: PageRequest, form_page: PageRoute, error: ApiError) -> Result:
        """The form with its complaints; the complaint alone if the form cannot be shown."""
        request.refuse(error)
        if error.status in (403, 404) and error.generic:
            raise error
        try:
            return await self._respond(request, form_page, None)
        except ApiError:
            raise error from None

    def _read_form(self, request: PageRequest, page: PageRoute, form_page: PageRoute | None) -> Redirect | None:
        """Take over the query and the form; where a visitor with a pending setup step must go first."""
        sent: tuple[Tree, ApiError | None] = getattr(request.http.context, "form", ({}, None))
        body, fault = sent
        if fault is not None:
            raise fault
        request.query = read_query(request.http.query_string)
        request.tree = request.query | body
        session = request.session
        if session is not None and session.pending_setup is not None and session.pending_setup not in page.satisfies:
            if page.guarded:
                check_form_token(request)
            return Redirect(with_target(SETUP_STEP_PAGES[session.pending_setup], target_of(page, request, form_page)))
        return None

    async def show_error(self, request: Request, response: FalconResponse, error: ApiError, *_: Any) -> None:
        """Show the error as a page to browsers and as JSON to programs."""
        page_request: PageRequest | None = getattr(request.context, "page_request", None)
        if page_request is None:
            page_request = PageRequest(self.services, request, None, "", {})
        # Below a name, the same for what is missing and what is hidden.
        hidden = getattr(request.context, "hidden", False)
        if hidden and error.status == 404 and page_request.container is None:
            error = errors.unknown_route()
        # A token opens this one page for a program, not the frame of all pages.
        if page_request.token_user is not None or (not accepts_html(request) and page_request.fragment is None):
            write_reply(response, error_response(error))
            return
        targets = {"GET": request.relative_uri, "HEAD": request.relative_uri, "POST": "/"}
        if hidden and page_request.session is None and error.status in (401, 403, 404) and request.method in targets:
            if not entered_texts(request):
                self.writer.redirect(page_request, response, Redirect(sign_in_for(targets[request.method])))
                return
            error = errors.unauthorized()
        await self.writer.write_error(page_request, response, error, getattr(request.context, "role", None))

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


def _moved(path: str | None, query: str) -> Redirect:
    if path is None:
        raise errors.unknown_route()
    return Redirect(quote(path, safe="/-._~!$&'()*+,;=:@") + query, permanent=True)
