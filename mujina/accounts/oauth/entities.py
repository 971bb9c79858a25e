"""Applications as their owners and the users who authorized them see them."""

from typing import Annotated

import msgspec

from mujina.accounts.oauth.rules import ApplicationRow
from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Tx
from mujina.kernel.permissions.actor import Actor


class CreatedApplication(msgspec.Struct):
    """A new application with its secret, which is shown only once."""

    id: int
    application_id: str
    application_name: str
    callback_url: str
    secret: str


class AuthorizedApplicationView(Row, alias="o"):
    """An application that may act for a user."""

    id: int
    name: str
    scopes: Annotated[str, "max(t.scopes)"]
    since: Annotated[str, "min(t.created_at)"]


async def own_applications(tx: Tx, actor: Actor) -> list[ApplicationRow]:
    return await tx.rows(
        ApplicationRow,
        f"SELECT {ApplicationRow.columns} FROM oauth_applications o WHERE o.owner_id = :id ORDER BY o.id",
        id=actor.id,
    )


async def authorized_applications(tx: Tx, actor: Actor) -> list[AuthorizedApplicationView]:
    """The applications that have tokens of this user, oldest first."""
    return await tx.rows(
        AuthorizedApplicationView,
        f"""
        SELECT {AuthorizedApplicationView.columns}
        FROM oauth_tokens t JOIN oauth_applications o ON o.id = t.application_id
        WHERE t.user_id = :id AND NOT t.revoked
        GROUP BY o.id, o.name ORDER BY o.id
        """,
        id=actor.id,
    )
