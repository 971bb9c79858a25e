"""Authorization codes: a user's consent creates one, and the client exchanges it once within ten minutes."""

import base64
import hashlib
from datetime import timedelta

import msgspec

from mujina.accounts.oauth.params import Authorize, TokenRequest
from mujina.accounts.oauth.rules import ApplicationRow
from mujina.accounts.oauth.tokens import IssuedTokens, consume, find_refresh_token, issue, lock_family, revoke_family
from mujina.kernel import clock, errors, secrets
from mujina.kernel.db.rows import Row, insert, update
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import ApiError
from mujina.kernel.permissions.actor import Actor

CODE_LIFETIME = timedelta(minutes=10)


class OAuthGrantRow(Row, alias="c"):
    id: int
    user_id: int
    redirect_uri: str
    scopes: str
    challenge: str | None
    nonce: str | None
    expires_at: str
    family: str | None


class GrantedTokens(msgspec.Struct, frozen=True):
    """The tokens for a code, and their user."""

    tokens: IssuedTokens
    user_id: int
    nonce: str | None


def invalid_grant() -> ApiError:
    return errors.oauth(
        "invalid_grant", "The grant is invalid, expired, revoked, or was issued to another client or address."
    )


def granted_scopes(client: ApplicationRow, requested: str) -> str | None:
    """The requested scopes, or the default ones; None if the client may not request them."""
    allowed = client.scopes.split()
    scopes = requested.split() or (["api"] if "api" in allowed else allowed)
    return " ".join(dict.fromkeys(scopes)) if set(scopes) <= set(allowed) else None


async def is_granted(tx: Tx, actor: Actor, client: ApplicationRow, scopes: str) -> bool:
    """Whether no consent is needed. A client without a secret always needs one: it may be another program every time."""
    if client.trusted:
        return True
    if not client.confidential:
        return False
    granted = await tx.values(
        "SELECT t.scopes FROM oauth_tokens t WHERE t.application_id = :id AND t.user_id = :user_id AND NOT t.revoked",
        id=client.id,
        user_id=actor.id,
    )
    return any(set(scopes.split()) <= set(held.split()) for held in granted)


async def grant(tx: Tx, actor: Actor, client: ApplicationRow, request: Authorize, scopes: str) -> str:
    """A code that this client may exchange, with the same redirect URI, for tokens of this user."""
    code = secrets.new_oauth_token()
    await insert(
        tx, "oauth_grants", application_id=client.id, user_id=actor.id, digest=secrets.digest(code),
        redirect_uri=request.redirect_uri, scopes=scopes, challenge=request.code_challenge or None,
        nonce=request.nonce or None, expires_at=clock.later(CODE_LIFETIME),
    )  # fmt: skip
    return code


async def exchange(tx: Tx, client: ApplicationRow, request: TokenRequest) -> GrantedTokens | None:
    """Tokens for a code; None if it is invalid."""
    grant = await redeem(tx, client, request)
    if grant is None:
        return None
    tokens = await issue(tx, client.id, grant.user_id, grant.scopes, family=grant.family)
    return GrantedTokens(tokens, grant.user_id, grant.nonce)


async def redeem(tx: Tx, client: ApplicationRow, request: TokenRequest) -> OAuthGrantRow | None:
    """Returns the grant of this code; None if it is invalid. Using a code twice revokes the tokens of its first use."""
    grant = await tx.row(
        OAuthGrantRow,
        f"""
        SELECT {OAuthGrantRow.columns} FROM oauth_grants c JOIN users u ON u.id = c.user_id
        WHERE c.digest = :digest AND c.application_id = :application_id AND u.state = 'active' AND u.deleted_at IS NULL
        FOR UPDATE OF c
        """,
        digest=secrets.digest(request.code),
        application_id=client.id,
    )
    if grant is None:
        return None
    if grant.family is not None:
        await revoke_family(tx, grant.family)
        return None
    if grant.expires_at <= clock.now() or grant.redirect_uri != request.redirect_uri:
        return None
    if not _is_verified(grant.challenge, request.code_verifier, required=not client.confidential):
        return None
    family = secrets.new_token()
    await update(tx, "oauth_grants", {"family": family}, id=grant.id)
    return msgspec.structs.replace(grant, family=family)


def _is_verified(challenge: str | None, verifier: str, *, required: bool) -> bool:
    """PKCE: the client that sends the code is the one that requested it (RFC 7636, S256)."""
    if challenge is None:
        return not required and not verifier
    computed = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")
    return secrets.same(computed, challenge)


async def refresh(tx: Tx, client_id: int | None, request: TokenRequest) -> IssuedTokens | None:
    """A new pair of tokens with the same or fewer scopes; None if it is invalid. Using one twice revokes its family."""
    old = await find_refresh_token(tx, request.refresh_token)
    if old is None or old.application_id != client_id:
        return None
    scopes = request.scope.split() or old.scopes.split()
    if not set(scopes) <= set(old.scopes.split()):
        return None
    await lock_family(tx, old.family)
    if old.revoked or not old.usable or not await consume(tx, old):
        await revoke_family(tx, old.family)
        return None
    return await issue(tx, old.application_id, old.user_id, " ".join(scopes), family=old.family)
