"""OAuth endpoints for clients: issue, refresh, revoke and introspect tokens. No cache may store the responses."""

import base64
from urllib.parse import unquote_plus

from mujina.accounts.oauth import grants, openid, tokens
from mujina.accounts.oauth.params import ClientLogin, ShownToken, TokenRequest
from mujina.accounts.oauth.rules import ApplicationRow, authenticate_client
from mujina.accounts.oauth.tokens import IssuedTokens
from mujina.accounts.sessions.logins import find_login
from mujina.instance.application_settings.rules import read_settings
from mujina.kernel import clock, errors
from mujina.kernel.db.transaction import Tx
from mujina.kernel.html.pages import PageRequest, document, endpoint
from mujina.kernel.http.dispatcher import Response
from mujina.kernel.urls import web

NO_STORE = {"Cache-Control": "no-store", "Pragma": "no-cache"}
PASSWORD_SCOPES = frozenset({"api", "read_user", "sudo", "read_repository"})


@endpoint("/oauth/token", anonymous=True)
async def issue_token(request: PageRequest) -> Response:
    token_request = request.read_form(TokenRequest)
    grant_types = {
        "authorization_code": _exchange_code,
        "refresh_token": _refresh,
        "password": _exchange_password,
        "client_credentials": _issue_to_client,
    }
    if not token_request.grant_type:
        raise errors.oauth("invalid_request", "The request says nothing of the grant_type.")
    if token_request.grant_type not in grant_types:
        raise errors.oauth("unsupported_grant_type", "The authorization grant type is not supported.")
    tokens_issued = await grant_types[token_request.grant_type](request, token_request)
    if tokens_issued is None:
        raise grants.invalid_grant()
    return Response(tokens_issued, headers=NO_STORE)


async def _exchange_code(request: PageRequest, token_request: TokenRequest) -> IssuedTokens | None:
    async with request.transaction() as tx:
        client = await _client(tx, request)
        exchanged = await grants.exchange(tx, client, token_request)
    if exchanged is None or openid.SCOPE not in exchanged.tokens["scope"].split():
        return exchanged and exchanged.tokens
    id_token = await openid.id_token(request.services, web(""), client.uid, exchanged.user_id, exchanged.nonce)
    return exchanged.tokens | {"id_token": id_token}


async def _refresh(request: PageRequest, token_request: TokenRequest) -> IssuedTokens | None:
    async with request.transaction() as tx:
        client = await _optional_client(tx, request)
        return await grants.refresh(tx, client.id if client else None, token_request)


async def _exchange_password(request: PageRequest, token_request: TokenRequest) -> IssuedTokens | None:
    """Never for users who have or must have two-factor authentication."""
    async with request.reading() as tx:
        client = await _optional_client(tx, request)
        allowed = (await read_settings(tx)).password_authentication_enabled_for_web
    login = await find_login(request.services, token_request.username, token_request.password, request.address)
    if (
        login is None
        or login.state != "active"
        or login.confirmed_at is None
        or not login.password_suffices
        or (login.local and not allowed)
    ):
        return None
    scopes = grants.granted_scopes(client, token_request.scope) if client else token_request.scope or "api"
    if scopes is None or not set(scopes.split()) <= PASSWORD_SCOPES:
        raise errors.oauth("invalid_scope", "The requested scope is invalid, unknown, or malformed.")
    async with request.transaction() as tx:
        return await tokens.issue(tx, client.id if client else None, login.id, scopes)


async def _issue_to_client(request: PageRequest, token_request: TokenRequest) -> IssuedTokens | None:
    """A token of the client itself: the API accepts it for no user."""
    async with request.transaction() as tx:
        client = await _client(tx, request)
        scopes = grants.granted_scopes(client, token_request.scope)
        if scopes is None:
            raise errors.oauth("invalid_scope", "The requested scope is invalid, unknown, or malformed.")
        return await tokens.issue(tx, client.id, None, scopes) if client.confidential else None


@endpoint("/oauth/revoke", anonymous=True)
async def revoke_token(request: PageRequest) -> Response:
    """Revoke the token of this client with its whole family. The response is the same for an unknown token."""
    token = request.read_form(ShownToken).token
    async with request.transaction() as tx:
        client = await _optional_client(tx, request)
        found = await tokens.find_access_token(tx, token) or await tokens.find_refresh_token(tx, token)
        if found is not None and found.application_id == (client.id if client else None):
            await tokens.revoke_family(tx, found.family)
    return Response({}, headers=NO_STORE)


@endpoint("/oauth/introspect", anonymous=True)
async def introspect_token(request: PageRequest) -> Response:
    """State and scopes of a token of this client (RFC 7662); tokens of other clients count as inactive."""
    async with request.reading() as tx:
        client = await _client(tx, request)
        found = await tokens.find_access_token(tx, request.read_form(ShownToken).token)
    if found is None or found.application_id != client.id or not found.active:
        return Response({"active": False}, headers=NO_STORE)
    body = {
        "active": True, "scope": found.scopes, "client_id": client.uid, "token_type": "bearer",
        "username": found.username, "sub": str(found.user_id) if found.user_id else client.uid,
        "iat": clock.seconds(found.created_at), "exp": clock.seconds(found.expires_at),
    }  # fmt: skip
    return Response(body, headers=NO_STORE)


@document("/oauth/token/info", anonymous=True)
async def show_token(request: PageRequest) -> Response:
    authorization = request.http.get_header("Authorization") or ""
    token = (
        authorization[7:].strip() if authorization[:7].lower() == "bearer " else request.tree.get("access_token", "")
    )
    async with request.reading() as tx:
        found = await tokens.find_access_token(tx, str(token))
    if found is None or not found.active:
        raise errors.oauth("invalid_request", "The access token is unknown, expired or revoked.")
    body = {
        "resource_owner_id": found.user_id,
        "scopes": found.scopes.split(),
        "expires_in_seconds": max(0, int(clock.seconds_until(found.expires_at))),
        "application": {"uid": found.uid},
        "created_at": clock.seconds(found.created_at),
    }
    return Response(body, headers=NO_STORE)


async def _client(tx: Tx, request: PageRequest) -> ApplicationRow:
    return await authenticate_client(tx, *_client_credentials(request))


async def _optional_client(tx: Tx, request: PageRequest) -> ApplicationRow | None:
    """The authenticated client, or None if the request names none."""
    uid, secret = _client_credentials(request)
    return await authenticate_client(tx, uid, secret) if uid else None


def _client_credentials(request: PageRequest) -> tuple[str, str]:
    """Id and secret of the client, from the header or from the form."""
    login = request.read_form(ClientLogin)
    scheme, _, encoded = (request.http.get_header("Authorization") or "").partition(" ")
    if scheme.lower() != "basic":
        return login.client_id, login.client_secret
    try:
        uid, _, secret = base64.b64decode(encoded, validate=True).decode().partition(":")
    except ValueError:
        return "", ""
    return unquote_plus(uid).replace("\0", ""), unquote_plus(secret)
