"""A person's consent becomes a code, a code becomes tokens, once and within ten minutes."""

import base64
import hashlib
from datetime import timedelta
from typing import Any

import msgspec

from mujina.accounts.oauth.params import Authorize, TokenRequest
from mujina.accounts.oauth.rules import ApplicationRow
from mujina.accounts.oauth.tokens import find_refresh_token, issue, revoke_family, use_up
from mujina.kernel import clock, errors, secrets
from mujina.kernel.actor import Actor
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import ApiError

CODE_LASTS = timedelta(minutes=10)
Told = dict[str, Any]


class GrantRow(msgspec.Struct, array_like=True, frozen=True):
    id: int
    user_id: int
    redirect_uri: str
    scopes: str
    challenge: str | None
    nonce: str | None
    expires_at: str
    family: str | None


class Exchanged(msgspec.Struct, frozen=True):
    """What a code became: what the client is told, and of whom."""

    told: Told
    user_id: int
    nonce: str | None


def invalid_grant() -> ApiError:
    return errors.oauth(
        "invalid_grant", "The grant is invalid, expired, revoked, or was issued to another client or address."
    )


def granted_scopes(client: ApplicationRow, wanted: str) -> str | None:
    """What is granted of what was wanted, or by default; None if the client may not want it."""
    allowed = client.scopes.split()
    scopes = wanted.split() or (["api"] if "api" in allowed else allowed)
    return " ".join(dict.fromkeys(scopes)) if set(scopes) <= set(allowed) else None


async def is_granted(tx: Tx, actor: Actor, client: ApplicationRow, scopes: str) -> bool:
    """Whether the person need not be asked again. A client without a secret may be another program every time."""
    if client.trusted:
        return True
    if not client.confidential:
        return False
    held = await tx.values(
        "SELECT t.scopes FROM oauth_tokens t WHERE t.application_id = :id AND t.user_id = :user_id AND NOT t.revoked",
        id=client.id,
        user_id=actor.id,
    )
    return any(set(scopes.split()) <= set(each.split()) for each in held)


async def grant(tx: Tx, actor: Actor, client: ApplicationRow, asked: Authorize, scopes: str) -> str:
    """The code that this client, at this address, may exchange for tokens of this person."""
    code = secrets.new_oauth_token()
    await tx.run(
        """
        INSERT INTO oauth_grants (application_id, user_id, digest, redirect_uri, scopes, challenge, nonce, expires_at)
        VALUES (:application_id, :user_id, :digest, :redirect_uri, :scopes, :challenge, :nonce, :expires_at)
        """,
        application_id=client.id, user_id=actor.id, digest=secrets.digest(code), redirect_uri=asked.redirect_uri,
        scopes=scopes, challenge=asked.code_challenge or None, nonce=asked.nonce or None, expires_at=clock.later(CODE_LASTS),
    )  # fmt: skip
    return code


async def exchange(tx: Tx, client: ApplicationRow, said: TokenRequest) -> Exchanged | None:
    """Tokens for a code; None if it is not good. A code that comes a second time ends what came of it the first time."""
    found = await tx.row(
        GrantRow,
        """
        SELECT c.id, c.user_id, c.redirect_uri, c.scopes, c.challenge, c.nonce, c.expires_at, c.family
        FROM oauth_grants c JOIN users u ON u.id = c.user_id
        WHERE c.digest = :digest AND c.application_id = :application_id AND u.state = 'active' AND u.deleted_at IS NULL
        FOR UPDATE OF c
        """,
        digest=secrets.digest(said.code),
        application_id=client.id,
    )
    if found is None:
        return None
    if found.family is not None:
        await revoke_family(tx, found.family)
        return None
    if found.expires_at <= clock.now() or found.redirect_uri != said.redirect_uri:
        return None
    if not _is_verified(found.challenge, said.code_verifier, must=not client.confidential):
        return None
    family = secrets.new_token()
    await tx.run("UPDATE oauth_grants SET family = :family WHERE id = :id", id=found.id, family=family)
    told = await issue(tx, client.id, found.user_id, found.scopes, family=family)
    return Exchanged(told, found.user_id, found.nonce)


def _is_verified(challenge: str | None, verifier: str, *, must: bool) -> bool:
    """PKCE: whoever brings the code is who asked for it (RFC 7636, S256)."""
    if challenge is None:
        return not must and not verifier
    made = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")
    return secrets.same(made, challenge)


async def refresh(tx: Tx, client_id: int | None, said: TokenRequest) -> Told | None:
    """A new pair for an old one, of no more scopes; None if it is not good. One that was used before ends its family."""
    old = await find_refresh_token(tx, said.refresh_token)
    if old is None or old.application_id != client_id:
        return None
    scopes = said.scope.split() or old.scopes.split()
    if not set(scopes) <= set(old.scopes.split()):
        return None
    if old.revoked or not old.usable or not await use_up(tx, old):
        await revoke_family(tx, old.family)
        return None
    return await issue(tx, old.application_id, old.user_id, " ".join(scopes), family=old.family)
