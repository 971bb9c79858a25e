"""The only ways to get a client: by its name, by its name and secret, or as its owner."""

from typing import LiteralString

import msgspec

from mujina.instance.application_settings.rules import read_settings
from mujina.kernel import errors, secrets
from mujina.kernel.actor import Actor
from mujina.kernel.db.transaction import Tx


class ApplicationRow(msgspec.Struct, array_like=True, frozen=True):
    """A client as it is stored."""

    id: int
    owner_id: int | None
    name: str
    uid: str
    secret_digest: str
    redirect_uris: str
    scopes: str
    confidential: bool
    trusted: bool

    def redirects_to(self, uri: str) -> bool:
        """Whether the client may send people there: exactly as registered, to the letter."""
        return uri in self.redirect_uris.split()


APPLICATION: LiteralString = """
    SELECT o.id, o.owner_id, o.name, o.uid, o.secret_digest, o.redirect_uris, o.scopes, o.confidential, o.trusted
    FROM oauth_applications o
"""


async def find_client(tx: Tx, uid: str) -> ApplicationRow | None:
    """The client of this name, not yet believed to be it."""
    return await tx.row(ApplicationRow, f"{APPLICATION} WHERE o.uid = :uid", uid=uid)


async def may_register(tx: Tx, actor: Actor) -> bool:
    """Whether this person may register clients of their own."""
    return actor.admin or (await read_settings(tx)).user_oauth_applications


async def find_own_application(tx: Tx, actor: Actor, id: int) -> ApplicationRow:
    row = await tx.row(
        ApplicationRow, f"{APPLICATION} WHERE o.id = :id AND o.owner_id = :owner_id", id=id, owner_id=actor.id
    )
    if row is None:
        raise errors.not_found("Application")
    return row


async def authenticate_client(tx: Tx, uid: str, secret: str) -> ApplicationRow:
    """The client, if it shows its secret; one that cannot keep a secret shows none."""
    client = await find_client(tx, uid)
    if client is None or (client.confidential and not secrets.same(secrets.digest(secret), client.secret_digest)):
        raise errors.oauth("invalid_client", "Client authentication failed: unknown client, or not its secret.")
    return client
