"""Admission to pages, and where visitors go who must sign in or complete a setup step first."""

from typing import Any
from urllib.parse import unquote_plus

from mujina.accounts.credentials.rules import find_token_actor
from mujina.accounts.users.profile.preferences import find_feed_reader
from mujina.kernel import errors
from mujina.kernel.db.transaction import Tx
from mujina.kernel.html.pages import OpensWith, PageRequest, PageRoute, Redirect
from mujina.kernel.http.dispatcher import credentials_of
from mujina.kernel.http.forms import read_query
from mujina.kernel.http.paging import SECRETS
from mujina.kernel.http.requests.incoming import ApiRequest
from mujina.kernel.http.requests.log import record_of
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.permissions.scopes import FETCH, check_scope
from mujina.kernel.urls import with_target


def admission(request: PageRequest, page: PageRoute, form_page: PageRoute | None) -> Redirect | None:
    """The sign-in page if the visitor must sign in first; None if the page opens."""
    if request.actor.anonymous and not page.anonymous:
        return Redirect(with_target("/users/sign_in", target_of(page, request, form_page)))
    if page.admin and not request.actor.admin:
        raise errors.unknown_route()
    return None


def sign_in_for(target: str) -> str:
    """The address of the sign-in page that leads to `target` then, without the tokens that came in its query."""
    return with_target("/users/sign_in", _without_tokens(target))


def _without_tokens(target: str) -> str:
    path, _, query = target.partition("?")
    kept = "&".join(pair for pair in query.split("&") if unquote_plus(pair.partition("=")[0]) not in SECRETS)
    return f"{path}?{kept}" if kept else path


def target_of(page: PageRoute, request: PageRequest, form_page: PageRoute | None) -> str:
    """The page to show after signing in, or after a setup step is completed.

    It is the requested one, without the tokens that came in its query, or the one that shows the form, which is not sent again.
    """
    if form_page is None:
        return "/"
    if form_page.path == page.path or request.http.method == "GET":
        return _without_tokens(request.http.relative_uri)
    return "/" if "{" in form_page.path else form_page.path


def opens_with(request: PageRequest, page: PageRoute | None) -> OpensWith:
    """The credential that the page accepts, if there is no session."""
    return None if page is None or request.session is not None else page.opens_with


async def read_token(tx: Tx, request: PageRequest, kind: OpensWith) -> None:
    """Authenticate the user of a token, on a page that accepts it and without a session.

    It is found in the transaction of the caller: requests that wait for a second connection while they use one wait for each other.
    """
    find = _feed_reader if kind == "feed token" else _api_user
    request.token_user = await find(tx, request)
    if request.token_user is not None:
        record_of(request.http.scope).acts(request.actor)


async def refuse_token(tx: Tx, request: PageRequest) -> None:
    """Where nothing is shown to the visitor: refuse a token as a page that takes it does, or it would tell that there is one."""
    request.token_user = None
    if request.session is None:
        await _api_user(tx, request)


async def _feed_reader(tx: Tx, request: PageRequest) -> Actor | None:
    query = read_query(request.http.query_string)
    token = query.get("feed_token") or query.get("rss_token")
    return await find_feed_reader(tx, request.services.vault, token) if isinstance(token, str) else None


async def _api_user(tx: Tx, request: PageRequest) -> Actor | None:
    """Whose token of the API came with the request: 401 for an unknown one, 403 for one that may not read repositories."""
    sent = ApiRequest(dict(request.http.scope), _no_body)
    credentials = credentials_of(sent, read_query(request.http.query_string))
    token = credentials.oauth or credentials.token
    if token is None:
        return None
    actor = await find_token_actor(tx, token, credentials, request.services.token_uses)
    check_scope(actor, FETCH, reads=True)
    return actor


async def _no_body() -> dict[str, Any]:
    return {"type": "http.request", "body": b"", "more_body": False}
