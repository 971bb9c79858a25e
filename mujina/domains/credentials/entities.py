"""Tokens as they are shown: never the token itself."""

import msgspec

from mujina.kernel.db.transaction import Tx


class TokenLine(msgspec.Struct, array_like=True, frozen=True):
    id: int
    name: str
    scopes: str
    expires_on: str
    revoked: bool
    created_at: str


async def tokens_of(tx: Tx, user_id: int) -> list[TokenLine]:
    """The personal access tokens of a person, revoked and expired ones too, the oldest first."""
    return await tx.rows(
        TokenLine,
        """
        SELECT t.id, t.name, t.scopes, t.expires_on, t.revoked, t.created_at FROM access_tokens t
        WHERE t.user_id = :user_id AND NOT t.impersonation ORDER BY t.id
        """,
        user_id=user_id,
    )
