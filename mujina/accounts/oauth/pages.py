"""The consent page, and the page of a user's own and authorized applications."""

import re
from typing import Any
from urllib.parse import urlencode, urlsplit, urlunsplit

import msgspec

from mujina.accounts.credentials.rules import authenticate
from mujina.accounts.oauth import entities, grants, openid, operations
from mujina.accounts.oauth.params import Authorize, NewApplication
from mujina.accounts.oauth.rules import ApplicationRow, find_client, find_own_application, may_register
from mujina.accounts.users import entities as users
from mujina.kernel import clock, errors
from mujina.kernel.db.transaction import Tx
from mujina.kernel.html.pages import (
    HtmlPage,
    Numbered,
    PageRequest,
    Redirect,
    confirmation,
    document,
    endpoint,
    form,
    view,
)
from mujina.kernel.http.dispatcher import Response
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.permissions.scopes import OPENID, check_scope
from mujina.kernel.urls import web

PAGE = "/profile/applications"
MEANING = {
    "api": "do everything you may do",
    "read_user": "read your profile and those of others",
    "read_api": "read everything you may read",
    "read_repository": "clone and fetch your repositories",
    "write_repository": "clone and fetch your repositories, and push to them",
    "sudo": "act as any other person, if you are an administrator",
    "openid": "know who you are: your name, address and groups",
    "profile": "know your name, together with openid",
    "email": "know your address, together with openid",
}
OTHER_MEANING = "nothing on this instance"
"""What the other scopes allow: clients of today ask for them."""
UNKNOWN_CLIENT = "This application is not known here, or may not send you to the address it gave. Nothing was shared."
ANY_ORIGIN = {"Access-Control-Allow-Origin": "*"}
"""Pages of any site may read public documents."""
NO_STORE = {"Cache-Control": "no-store", "Pragma": "no-cache"}
CLAIMS = (
    "iss", "sub", "aud", "exp", "iat", "nonce",
    "name", "nickname", "email", "email_verified", "website", "profile", "picture", "groups",
)  # fmt: skip
"""What an ID token and `/oauth/userinfo` may say about a user."""
_CHALLENGE = re.compile(r"[A-Za-z0-9_-]{43}")


class AuthorizationRequest(msgspec.Struct, frozen=True):
    """A valid request of a client for authorization."""

    client: ApplicationRow
    params: Authorize
    scopes: str


@view("/oauth/authorize")
async def show_consent(request: PageRequest) -> HtmlPage | Redirect:
    authorization = await _authorization_request(request)
    if isinstance(authorization, Redirect):
        return authorization
    async with request.reading() as tx:
        granted = await grants.is_granted(tx, request.actor, authorization.client, authorization.scopes)
    if granted:
        return await _grant(request, authorization)
    scopes = {scope: MEANING.get(scope, OTHER_MEANING) for scope in authorization.scopes.split()}
    context = {"client": authorization.client, "authorization": authorization.params, "scopes": scopes}
    return HtmlPage("consent.html", context, leads_outside=True)


@form("/oauth/authorize")
async def consent(request: PageRequest) -> Redirect:
    authorization = await _authorization_request(request)
    return authorization if isinstance(authorization, Redirect) else await _grant(request, authorization)


@form("/oauth/authorize/deny")
async def deny(request: PageRequest) -> Redirect:
    authorization = await _authorization_request(request)
    if isinstance(authorization, Redirect):
        return authorization
    return _redirect_error(authorization.params, "access_denied", "The resource owner denied the request.")


async def _grant(request: PageRequest, authorization: AuthorizationRequest) -> Redirect:
    async with request.transaction() as tx:
        code = await grants.grant(tx, request.actor, authorization.client, authorization.params, authorization.scopes)
    return _redirect(authorization.params, {"code": code})


async def _authorization_request(request: PageRequest) -> AuthorizationRequest | Redirect:
    """The valid request, or a redirect to the client with the error. Never redirects to an unregistered URI."""
    params = request.read_form(Authorize)
    async with request.reading() as tx:
        client = await find_client(tx, params.client_id)
    if client is None or not client.redirects_to(params.redirect_uri):
        raise errors.unprocessable(UNKNOWN_CLIENT)
    if params.response_type != "code":
        return _redirect_error(
            params, "unsupported_response_type", "The authorization server supports the response type code."
        )
    uses_pkce = params.code_challenge or params.code_challenge_method
    if (uses_pkce or not client.confidential) and not (
        params.code_challenge_method == "S256" and _CHALLENGE.fullmatch(params.code_challenge)
    ):
        return _redirect_error(params, "invalid_request", "A code challenge by the method S256 is required.")
    scopes = grants.granted_scopes(client, params.scope)
    if scopes is None:
        return _redirect_error(params, "invalid_scope", "The requested scope is invalid, unknown, or malformed.")
    return AuthorizationRequest(client, params, scopes)


def _redirect_error(params: Authorize, error: str, description: str) -> Redirect:
    return _redirect(params, {"error": error, "error_description": description})


def _redirect(params: Authorize, answer: dict[str, str]) -> Redirect:
    """Redirect to the client's URI with the answer and the state that the client sent."""
    parts = urlsplit(params.redirect_uri)
    query = urlencode({**answer, "state": params.state} if params.state else answer)
    return Redirect(urlunsplit(parts._replace(query=f"{parts.query}&{query}" if parts.query else query)))


@view(PAGE)
async def show_applications(
    request: PageRequest, registered: operations.RegisteredApplication | None = None
) -> HtmlPage:
    async with request.reading() as tx:
        own = await entities.own_applications(tx, request.actor)
        authorized = await entities.authorized_applications(tx, request.actor)
        allowed = await may_register(tx, request.actor)
    context = {"own": own, "authorized": authorized, "scopes": MEANING, "made": registered, "allowed": allowed}
    return HtmlPage("applications.html", context)


@form(PAGE)
async def register_application(request: PageRequest) -> HtmlPage:
    application = request.read_form(NewApplication, "application")
    async with request.transaction() as tx:
        if not await may_register(tx, request.actor):
            raise errors.forbidden("Applications are registered by administrators")
        registered = await operations.register(
            tx, request.actor, application.name, application.redirect_uri, application.scopes,
            owner_id=request.actor.id, confidential=application.confidential,
        )  # fmt: skip
    return await show_applications(request, registered)


@view(f"{PAGE}/remove")
async def confirm_application_removal(request: PageRequest) -> HtmlPage:
    async with request.reading() as tx:
        application = await find_own_application(tx, request.actor, request.read_form(Numbered).id)
    consequence = "Every token that it was given will be revoked. You cannot undo this."
    return confirmation(
        f"Remove the application “{application.name}”?", consequence, "Remove application",
        action=f"{PAGE}/remove", id=application.id, back=PAGE,
    )  # fmt: skip


@form(f"{PAGE}/remove")
async def remove_application(request: PageRequest) -> Redirect:
    async with request.transaction() as tx:
        application = await find_own_application(tx, request.actor, request.read_form(Numbered).id)
        await operations.remove(tx, request.actor, application)
    return Redirect(PAGE)


@view(f"{PAGE}/withdraw")
async def confirm_withdrawal(request: PageRequest) -> HtmlPage:
    application_id = request.read_form(Numbered).id
    async with request.reading() as tx:
        authorized = await entities.authorized_applications(tx, request.actor)
    application = next((each for each in authorized if each.id == application_id), None)
    if application is None:
        raise errors.not_found("Application")
    consequence = "The application will no longer have access to your account until you authorize it again."
    return confirmation(
        f"Revoke the access of “{application.name}”?", consequence, "Revoke access",
        action=f"{PAGE}/withdraw", id=application_id, back=PAGE,
    )  # fmt: skip


@form(f"{PAGE}/withdraw")
async def withdraw_consent(request: PageRequest) -> Redirect:
    async with request.transaction() as tx:
        await operations.withdraw(tx, request.actor, request.read_form(Numbered).id)
    return Redirect(PAGE)


@document("/.well-known/openid-configuration", anonymous=True)
async def show_configuration(request: PageRequest) -> Response:  # noqa: ARG001 - page handlers share one signature
    body = {
        "issuer": web(""),
        "authorization_endpoint": web("/oauth/authorize"),
        "token_endpoint": web("/oauth/token"),
        "revocation_endpoint": web("/oauth/revoke"),
        "introspection_endpoint": web("/oauth/introspect"),
        "userinfo_endpoint": web("/oauth/userinfo"),
        "jwks_uri": web("/oauth/discovery/keys"),
        "scopes_supported": list(operations.SCOPES),
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": ["authorization_code", "refresh_token", "password", "client_credentials"],
        "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post"],
        "code_challenge_methods_supported": ["S256"],
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": [openid.ALGORITHM],
        "claim_types_supported": ["normal"],
        "claims_supported": list(CLAIMS),
    }
    return Response(body, headers=ANY_ORIGIN)


@document("/oauth/discovery/keys", anonymous=True)
async def show_signing_keys(request: PageRequest) -> Response:
    return Response({"keys": await openid.public_keys(request.services)}, headers=ANY_ORIGIN)


@document("/oauth/userinfo", anonymous=True)
@endpoint("/oauth/userinfo", anonymous=True)
async def show_userinfo(request: PageRequest) -> Response:
    """Claims about the user of the token, if it has the scope `openid`."""
    scheme, _, token = (request.http.get_header("Authorization") or "").partition(" ")
    if scheme.lower() != "bearer":
        raise errors.invalid_token("A bearer token is needed.")
    async with request.reading() as tx:
        actor = await authenticate(tx, token.strip())
        check_scope(actor, OPENID)
        return Response(await _claims(tx, actor), headers=NO_STORE)


async def _claims(tx: Tx, actor: Actor) -> dict[str, Any]:
    user = await users.own(tx, actor)
    groups = await tx.values(
        """
        SELECT r.path FROM members m JOIN routes r ON r.namespace_id = m.source_id
        WHERE m.user_id = :user_id AND m.source_kind = 'group' AND m.expires_on > :today ORDER BY r.path
        """,
        user_id=actor.id,
        today=clock.today(),
    )
    return {
        "sub": str(actor.id),
        "name": user.name,
        "nickname": user.username,
        "email": user.email,
        "email_verified": user.confirmed_at is not None,
        **({"website": user.website_url} if user.website_url.startswith(("http://", "https://")) else {}),
        "profile": user.web_url,
        "picture": user.avatar_url,
        "groups": groups,
    }
