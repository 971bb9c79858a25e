"""Where clients come by themselves: tokens are issued, refreshed, revoked and explained, and never stored on the way."""

import base64
from urllib.parse import unquote_plus

from mujina.accounts.oauth import grants, openid, tokens
from mujina.accounts.oauth.params import ClientLogin, ShownToken, TokenRequest
from mujina.accounts.oauth.rules import ApplicationRow, authenticate_client
from mujina.accounts.sessions.logins import find_login
from mujina.instance.application_settings.rules import read_settings
from mujina.kernel import clock, errors
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http import Response
from mujina.kernel.pages import PageRequest, document, endpoint
from mujina.kernel.urls import web

FRESH = {"Cache-Control": "no-store", "Pragma": "no-cache"}
PASSWORD_SCOPES = frozenset({"api", "read_user", "sudo", "read_repository"})


@endpoint("/oauth/token", anonymous=True)
async def issue_token(visit: PageRequest) -> Response:
    said = visit.said(TokenRequest)
    kinds = {
        "authorization_code": _by_code,
        "refresh_token": _by_refreshing,
        "password": _by_password,
        "client_credentials": _by_itself,
    }
    if not said.grant_type:
        raise errors.oauth("invalid_request", "The request says nothing of the grant_type.")
    if said.grant_type not in kinds:
        raise errors.oauth("unsupported_grant_type", "The authorization grant type is not supported.")
    told = await kinds[said.grant_type](visit, said)
    if told is None:
        raise grants.invalid_grant()
    return Response(told, headers=FRESH)


async def _by_code(visit: PageRequest, said: TokenRequest) -> grants.Told | None:
    async with visit.transaction() as tx:
        client = await _client(tx, visit)
        made = await grants.exchange(tx, client, said)
    if made is None or openid.SCOPE not in made.told["scope"].split():
        return made and made.told
    return made.told | {
        "id_token": await openid.id_token(visit.services, web(""), client.uid, made.user_id, made.nonce)
    }


async def _by_refreshing(visit: PageRequest, said: TokenRequest) -> grants.Told | None:
    async with visit.transaction() as tx:
        client = await _client_if_any(tx, visit)
        return await grants.refresh(tx, client.id if client else None, said)


async def _by_password(visit: PageRequest, said: TokenRequest) -> grants.Told | None:
    """Never for those who have a second factor, or should: a password alone is not them."""
    async with visit.reading() as tx:
        client = await _client_if_any(tx, visit)
        allowed = (await read_settings(tx)).password_authentication_enabled_for_web
    login = await find_login(visit.services, said.username, said.password, visit.address)
    if (
        login is None
        or login.state != "active"
        or login.confirmed_at is None
        or not login.password_is_enough
        or not allowed
    ):
        return None
    scopes = grants.granted_scopes(client, said.scope) if client else said.scope or "api"
    if scopes is None or not set(scopes.split()) <= PASSWORD_SCOPES:
        raise errors.oauth("invalid_scope", "The requested scope is invalid, unknown, or malformed.")
    async with visit.transaction() as tx:
        return await tokens.issue(tx, client.id if client else None, login.id, scopes)


async def _by_itself(visit: PageRequest, said: TokenRequest) -> grants.Told | None:
    """For the client, not for a person: the API knows nobody behind it."""
    async with visit.transaction() as tx:
        client = await _client(tx, visit)
        scopes = grants.granted_scopes(client, said.scope)
        if scopes is None:
            raise errors.oauth("invalid_scope", "The requested scope is invalid, unknown, or malformed.")
        return await tokens.issue(tx, client.id, None, scopes) if client.confidential else None


@endpoint("/oauth/revoke", anonymous=True)
async def revoke_token(visit: PageRequest) -> Response:
    """Whatever the token was, this client holds nothing of its family any more; the answer tells nothing else."""
    shown = visit.said(ShownToken).token
    async with visit.transaction() as tx:
        client = await _client_if_any(tx, visit)
        found = await tokens.find_access_token(tx, shown) or await tokens.find_refresh_token(tx, shown)
        if found is not None and found.application_id == (client.id if client else None):
            await tokens.revoke_family(tx, found.family)
    return Response({}, headers=FRESH)


@endpoint("/oauth/introspect", anonymous=True)
async def introspect_token(visit: PageRequest) -> Response:
    """What a token of this client is good for (RFC 7662); of others it learns nothing."""
    async with visit.reading() as tx:
        client = await _client(tx, visit)
        found = await tokens.find_access_token(tx, visit.said(ShownToken).token)
    if found is None or found.application_id != client.id or not found.active:
        return Response({"active": False}, headers=FRESH)
    told = {
        "active": True, "scope": found.scopes, "client_id": client.uid, "token_type": "bearer",
        "username": found.username, "sub": str(found.user_id) if found.user_id else client.uid,
        "iat": clock.seconds(found.created_at), "exp": clock.seconds(found.expires_at),
    }  # fmt: skip
    return Response(told, headers=FRESH)


@document("/oauth/token/info", anonymous=True)
async def show_token(visit: PageRequest) -> Response:
    authorization = visit.request.get_header("Authorization") or ""
    shown = authorization[7:].strip() if authorization[:7].lower() == "bearer " else visit.tree.get("access_token", "")
    async with visit.reading() as tx:
        found = await tokens.find_access_token(tx, str(shown))
    if found is None or not found.active:
        raise errors.oauth("invalid_request", "The access token is unknown, expired or revoked.")
    told = {
        "resource_owner_id": found.user_id,
        "scopes": found.scopes.split(),
        "expires_in_seconds": max(0, int(clock.seconds_until(found.expires_at))),
        "application": {"uid": found.uid},
        "created_at": clock.seconds(found.created_at),
    }
    return Response(told, headers=FRESH)


async def _client(tx: Tx, visit: PageRequest) -> ApplicationRow:
    return await authenticate_client(tx, *_login(visit))


async def _client_if_any(tx: Tx, visit: PageRequest) -> ApplicationRow | None:
    """The client, where it may also be nobody."""
    uid, secret = _login(visit)
    return await authenticate_client(tx, uid, secret) if uid else None


def _login(visit: PageRequest) -> tuple[str, str]:
    """The client's name and secret, from the header or from the form."""
    said = visit.said(ClientLogin)
    scheme, _, coded = (visit.request.get_header("Authorization") or "").partition(" ")
    if scheme.lower() != "basic":
        return said.client_id, said.client_secret
    try:
        uid, _, secret = base64.b64decode(coded, validate=True).decode().partition(":")
    except ValueError:
        return "", ""
    return unquote_plus(uid).replace("\0", ""), unquote_plus(secret)
