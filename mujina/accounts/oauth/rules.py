"""The only ways to look up an application: by its uid, by uid and secret, as its owner, or as that of a node."""

from typing import LiteralString

from mujina.instance.application_settings.rules import read_settings
from mujina.kernel import errors, secrets
from mujina.kernel.db.rows import Row, find_row
from mujina.kernel.db.sql.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.permissions.actor import Actor


class ApplicationRow(Row, alias="o"):
    id: int
    name: str
    uid: str
    secret_digest: str
    redirect_uris: str
    scopes: str
    confidential: bool
    trusted: bool

    def redirects_to(self, uri: str) -> bool:
        """Whether this is exactly one of the registered redirect URIs."""
        return uri in self.redirect_uris.split()


_APPLICATION: LiteralString = f"SELECT {ApplicationRow.columns} FROM oauth_applications o"


async def find_client(tx: Tx, uid: str) -> ApplicationRow | None:
    """The client of this uid, not yet authenticated."""
    return await tx.row(ApplicationRow, f"{_APPLICATION} WHERE o.uid = :uid", uid=uid)


async def find_application(tx: Tx, id: int) -> ApplicationRow | None:
    """The application of this id, for the instance itself."""
    return await tx.row(ApplicationRow, f"{_APPLICATION} WHERE o.id = :id", id=id)


async def may_register(tx: Tx, actor: Actor) -> bool:
    """Whether this user may register applications of their own."""
    return actor.admin or (await read_settings(tx)).user_oauth_applications


async def find_own_application(tx: Tx, actor: Actor, id: int) -> ApplicationRow:
    selection = Selection("oauth_applications o", "o.id = :id AND o.owner_id = :owner_id", id=id, owner_id=actor.id)
    return await find_row(tx, ApplicationRow, selection, "Application")


async def authenticate_client(tx: Tx, uid: str, secret: str) -> ApplicationRow:
    """The client, authenticated by its secret unless it is a public one."""
    client = await find_client(tx, uid)
    if client is None or (client.confidential and not secrets.same(secrets.digest(secret), client.secret_digest)):
        raise errors.oauth("invalid_client", "Client authentication failed: unknown client, or not its secret.")
    return client
