"""The only ways to look up a user."""

from typing import LiteralString

from mujina.accounts.paths.rules import lock_trees
from mujina.instance.application_settings.rules import read_settings
from mujina.kernel import errors
from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.params import Ref
from mujina.kernel.permissions.actor import ALL_SCOPES, Actor
from mujina.kernel.text.folding import fold


class ActorRow(Row, alias="u"):
    """The columns that decide what a user may do, whatever credential the request carries."""

    id: int
    username: str
    name: str
    admin: bool
    external: bool
    can_create_group: bool

    def actor(self, scopes: frozenset[str] = ALL_SCOPES, *, impersonator_id: int | None = None) -> Actor:
        """The user, limited to the scopes of the credential."""
        return Actor(
            id=self.id, username=self.username, name=self.name, admin=self.admin, external=self.external,
            can_create_group=self.can_create_group, scopes=scopes, impersonator_id=impersonator_id,
        )  # fmt: skip


class UserRow(Row, alias="u"):
    """The columns of a user that operations need."""

    id: int
    kind: str
    username: str
    name: str
    email: str
    state: str
    admin: bool
    external: bool
    updated_at: str


_USER: LiteralString = f"SELECT {UserRow.columns} FROM users u WHERE u.deleted_at IS NULL"


async def find_user(tx: Tx, user_id: int, *, lock: bool = False) -> UserRow:
    """The user of this id. Every caller may see every user; only the fields shown differ.

    `lock` first locks the user's namespace, so that what is read stays true until the transaction ends.
    """
    if lock:
        await lock_trees(tx, owner_id=user_id)
    return errors.or_not_found(await tx.row(UserRow, f"{_USER} AND u.id = :id", id=user_id), "User")


async def find_person(tx: Tx, user_id: int, *, lock: bool = False) -> UserRow:
    """Like `find_user`, for a change: 403 for the ghost user, and for the users of access tokens."""
    user = await find_user(tx, user_id, lock=lock)
    if user.kind != "person":
        raise errors.forbidden("The ghost user cannot be changed" if user.kind == "ghost" else "This user is a bot")
    return user


async def find_user_named(tx: Tx, username: str) -> UserRow:
    """The user of this username."""
    user = await tx.row(UserRow, f"{_USER} AND u.username_folded = :username", username=fold(username))
    return errors.or_not_found(user, "User")


async def find_active_actor(tx: Tx, user_id: int) -> Actor | None:
    """A user on whose behalf a job or a token acts; None if they may not sign in any more."""
    user = await tx.row(
        ActorRow,
        f"SELECT {ActorRow.columns} FROM users u WHERE u.id = :id AND u.state = 'active' AND u.deleted_at IS NULL",
        id=user_id,
    )
    return None if user is None else user.actor()


async def find_active_user(tx: Tx, actor: Actor, username: str) -> UserRow:
    """The user of this name, unless blocked; anonymous visitors find no user where nothing may be public."""
    if actor.anonymous and (await read_settings(tx)).forbids("public"):
        raise errors.not_found("User")
    user = await find_user_named(tx, username)
    if user.state != "active":
        raise errors.not_found("User")
    return user


async def find_invited_person(tx: Tx, name: str) -> UserRow | None:
    """The person with exactly this username or primary address, as the search of users finds them."""
    return await tx.row(
        UserRow,
        f"{_USER} AND u.kind = 'person' AND (u.username_folded = :name OR u.email_folded = :name)",
        name=fold(name),
    )


async def find_user_by_ref(tx: Tx, ref: Ref) -> UserRow:
    """The user whom a path names by id or by username."""
    return await find_user(tx, ref.id) if ref.id is not None else await find_user_named(tx, ref.text)


def actor_of(user: UserRow) -> Actor:
    """The user, authenticated by a link that was mailed only to them."""
    return Actor(user.id, user.username, user.name, user.admin, user.external)
