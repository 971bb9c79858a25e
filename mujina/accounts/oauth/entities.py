"""Clients as their owners and those they act for see them."""

import msgspec

from mujina.accounts.oauth.rules import APPLICATION, ApplicationRow
from mujina.kernel.actor import Actor
from mujina.kernel.db.transaction import Tx


class Authorized(msgspec.Struct, array_like=True, frozen=True):
    """A client that may act for a person."""

    id: int
    name: str
    scopes: str
    since: str


async def own_applications(tx: Tx, actor: Actor) -> list[ApplicationRow]:
    return await tx.rows(ApplicationRow, f"{APPLICATION} WHERE o.owner_id = :id ORDER BY o.id", id=actor.id)


async def authorized_applications(tx: Tx, actor: Actor) -> list[Authorized]:
    """The clients that hold something of this person, each once, the oldest first."""
    return await tx.rows(
        Authorized,
        """
        SELECT o.id, o.name, max(t.scopes), min(t.created_at)
        FROM oauth_tokens t JOIN oauth_applications o ON o.id = t.application_id
        WHERE t.user_id = :id AND NOT t.revoked
        GROUP BY o.id, o.name ORDER BY o.id
        """,
        id=actor.id,
    )
