"""OAuth tokens: issued in pairs, valid for two hours, refreshed once. Using a refresh token twice revokes its family."""

from datetime import timedelta
from typing import Annotated, Any, LiteralString

from mujina.kernel import clock, secrets
from mujina.kernel.db.rows import Row, insert, update
from mujina.kernel.db.transaction import Tx

LIFETIME = timedelta(hours=2)


IssuedTokens = dict[str, Any]
"""The response of the token endpoint."""


class OAuthTokenRow(Row, alias="t"):
    """A token with its user and its client."""

    id: int
    application_id: int | None
    uid: Annotated[str | None, "o.uid"]
    user_id: int | None
    username: Annotated[str | None, "u.username"]
    family: str
    scopes: str
    created_at: str
    expires_at: str
    revoked: bool
    usable: Annotated[bool, "t.user_id IS NULL OR (u.state = 'active' AND u.kind = 'person' AND u.deleted_at IS NULL)"]
    """Whether its user, if there is one, may sign in."""

    @property
    def active(self) -> bool:
        return not self.revoked and self.usable and self.expires_at > clock.now()


_TOKEN: LiteralString = f"""
    SELECT {OAuthTokenRow.columns}
    FROM oauth_tokens t LEFT JOIN users u ON u.id = t.user_id LEFT JOIN oauth_applications o ON o.id = t.application_id
"""


async def find_access_token(tx: Tx, token: str) -> OAuthTokenRow | None:
    return await tx.row(OAuthTokenRow, f"{_TOKEN} WHERE t.digest = :digest", digest=secrets.digest(token))


async def find_refresh_token(tx: Tx, token: str) -> OAuthTokenRow | None:
    return await tx.row(OAuthTokenRow, f"{_TOKEN} WHERE t.refresh_digest = :digest", digest=secrets.digest(token))


async def issue(
    tx: Tx, application_id: int | None, user_id: int | None, scopes: str, *, family: str | None = None
) -> IssuedTokens:
    """Issue an access token, and a refresh token too if it belongs to a user."""
    token, refresh = secrets.new_oauth_token(), secrets.new_oauth_token() if user_id is not None else None
    now = clock.now()
    await insert(
        tx, "oauth_tokens", application_id=application_id, user_id=user_id, family=family or secrets.new_token(),
        digest=secrets.digest(token), refresh_digest=secrets.digest(refresh) if refresh else None, scopes=scopes,
        created_at=now, expires_at=clock.later(LIFETIME),
    )  # fmt: skip
    response = {
        "access_token": token, "token_type": "bearer", "expires_in": int(LIFETIME.total_seconds()),
        "refresh_token": refresh, "scope": scopes, "created_at": clock.seconds(now),
    }  # fmt: skip
    return {name: value for name, value in response.items() if value is not None}


async def lock_family(tx: Tx, family: str) -> None:
    """Let no other transaction issue or revoke tokens of this family until this one ends: it would not see the new ones."""
    await tx.value(
        "SELECT t.id FROM oauth_tokens t WHERE t.family = :family ORDER BY t.id LIMIT 1 FOR UPDATE", family=family
    )


async def consume(tx: Tx, token: OAuthTokenRow) -> bool:
    """Revoke the pair, of a locked family. False if another request did so first."""
    return await tx.run("UPDATE oauth_tokens SET revoked = TRUE WHERE id = :id AND NOT revoked", id=token.id) == 1


async def revoke_family(tx: Tx, family: str) -> None:
    """Every token of this family fails from the next request on."""
    await lock_family(tx, family)
    await tx.run("UPDATE oauth_tokens SET revoked = TRUE WHERE family = :family AND NOT revoked", family=family)


async def revoke_all(tx: Tx, application_id: int, user_id: int) -> None:
    """Every token that the application has of this user fails from the next request on."""
    # Locked first, in a statement of its own: the next one sees what replaced a token meanwhile.
    await tx.values(
        """SELECT t.id FROM oauth_tokens t WHERE t.application_id = :application_id AND t.user_id = :user_id
           ORDER BY t.id FOR UPDATE""",
        application_id=application_id,
        user_id=user_id,
    )
    await update(tx, "oauth_tokens", {"revoked": True}, application_id=application_id, user_id=user_id)


async def delete_expired(tx: Tx) -> None:
    """Delete grants and revoked tokens that expired long ago."""
    await tx.run("DELETE FROM oauth_grants WHERE expires_at <= :before", before=clock.later(timedelta(days=-1)))
    await tx.run(
        "DELETE FROM oauth_tokens WHERE revoked AND expires_at <= :before", before=clock.later(timedelta(days=-30))
    )
