"""Tokens of clients: issued in pairs, good for two hours, refreshed once. Whoever shows a used one again ends them all."""

from datetime import timedelta
from typing import Any, LiteralString

import msgspec

from mujina.kernel import clock, secrets
from mujina.kernel.db.transaction import Tx

LASTS = timedelta(hours=2)


class TokenRow(msgspec.Struct, array_like=True, frozen=True):
    """A token as it is stored, with the person and the client behind it."""

    id: int
    application_id: int | None
    uid: str | None
    user_id: int | None
    username: str | None
    family: str
    scopes: str
    created_at: str
    expires_at: str
    revoked: bool
    usable: bool
    """Whether its person, if there is one, may still act."""

    @property
    def active(self) -> bool:
        return not self.revoked and self.usable and self.expires_at > clock.now()


_STORED: LiteralString = """
    SELECT t.id, t.application_id, o.uid, t.user_id, u.username, t.family, t.scopes, t.created_at, t.expires_at,
           t.revoked, t.user_id IS NULL OR (u.state = 'active' AND u.kind = 'person' AND u.deleted_at IS NULL)
    FROM oauth_tokens t LEFT JOIN users u ON u.id = t.user_id LEFT JOIN oauth_applications o ON o.id = t.application_id
"""


async def find_access_token(tx: Tx, token: str) -> TokenRow | None:
    return await tx.row(TokenRow, f"{_STORED} WHERE t.digest = :digest", digest=secrets.digest(token))


async def find_refresh_token(tx: Tx, token: str) -> TokenRow | None:
    return await tx.row(TokenRow, f"{_STORED} WHERE t.refresh_digest = :digest", digest=secrets.digest(token))


async def issue(
    tx: Tx, application_id: int | None, user_id: int | None, scopes: str, *, family: str | None = None
) -> dict[str, Any]:
    """A new token as the client is told, with one to refresh it by if it stands for a person."""
    token, refresh = secrets.new_oauth_token(), secrets.new_oauth_token() if user_id is not None else None
    now = clock.now()
    await tx.run(
        """
        INSERT INTO oauth_tokens
            (application_id, user_id, family, digest, refresh_digest, scopes, created_at, expires_at)
        VALUES (:application_id, :user_id, :family, :digest, :refresh, :scopes, :now, :expires_at)
        """,
        application_id=application_id, user_id=user_id, family=family or secrets.new_token(), scopes=scopes,
        digest=secrets.digest(token), refresh=secrets.digest(refresh) if refresh else None, now=now,
        expires_at=clock.later(LASTS),
    )  # fmt: skip
    told = {
        "access_token": token, "token_type": "bearer", "expires_in": int(LASTS.total_seconds()),
        "refresh_token": refresh, "scope": scopes, "created_at": clock.seconds(now),
    }  # fmt: skip
    return {name: value for name, value in told.items() if value is not None}


async def use_up(tx: Tx, token: TokenRow) -> bool:
    """The pair is good no more; False if somebody else was first."""
    return await tx.run("UPDATE oauth_tokens SET revoked = TRUE WHERE id = :id AND NOT revoked", id=token.id) == 1


async def revoke_family(tx: Tx, family: str) -> None:
    """Every token that came of one grant fails from the next request on."""
    await tx.run("UPDATE oauth_tokens SET revoked = TRUE WHERE family = :family AND NOT revoked", family=family)


async def sweep(tx: Tx) -> None:
    """What has long been of no use is forgotten."""
    await tx.run("DELETE FROM oauth_grants WHERE expires_at <= :before", before=clock.later(timedelta(days=-1)))
    await tx.run(
        "DELETE FROM oauth_tokens WHERE revoked AND expires_at <= :before", before=clock.later(timedelta(days=-30))
    )
