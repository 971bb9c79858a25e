"""OpenID Connect endpoints: configuration, public keys and claims about a user."""

from typing import Any

from mujina.accounts.credentials.rules import authenticate
from mujina.accounts.oauth import openid
from mujina.accounts.oauth.operations import SCOPES
from mujina.accounts.users import entities
from mujina.kernel import clock, errors
from mujina.kernel.db.transaction import Tx
from mujina.kernel.html.pages import PageRequest, document, endpoint
from mujina.kernel.http.dispatcher import Response
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.permissions.scopes import OPENID, check_scope
from mujina.kernel.urls import web

ANY_ORIGIN = {"Access-Control-Allow-Origin": "*"}
"""Pages of any site may read public documents."""
NO_STORE = {"Cache-Control": "no-store", "Pragma": "no-cache"}
CLAIMS = (
    "iss", "sub", "aud", "exp", "iat", "nonce",
    "name", "nickname", "email", "email_verified", "website", "profile", "picture", "groups",
)  # fmt: skip


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
        "scopes_supported": list(SCOPES),
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
    user = await entities.own(tx, actor)
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
