"""Whom one may see, and the only way to get a person."""

from typing import LiteralString

import msgspec

from mujina.kernel import errors
from mujina.kernel.actor import ALL_SCOPES, Actor
from mujina.kernel.db.transaction import Tx
from mujina.kernel.params import Ref
from mujina.kernel.text import fold

PERSON: LiteralString = "u.id, u.username, u.name, u.admin, u.external, u.can_create_group"
"""All that decides what a person may, whatever credential they show."""


class PersonRow(msgspec.Struct, array_like=True, frozen=True):
    """The columns of `PERSON`."""

    id: int
    username: str
    name: str
    admin: bool
    external: bool
    can_create_group: bool

    def acting(self, scopes: frozenset[str] = ALL_SCOPES, *, impersonator_id: int | None = None) -> Actor:
        """The person, as far as the credential is good."""
        return Actor(
            self.id, self.username, self.name, self.admin, self.external, self.can_create_group, scopes, impersonator_id
        )  # fmt: skip


class UserRow(msgspec.Struct, array_like=True, frozen=True):
    """What operations need to know of a person they act on."""

    id: int
    kind: str
    username: str
    name: str
    email: str
    state: str
    admin: bool
    external: bool
    updated_at: str


_USER: LiteralString = """
    SELECT u.id, u.kind, u.username, u.name, u.email, u.state, u.admin, u.external, u.updated_at
    FROM users u WHERE u.deleted_at IS NULL
"""


async def find_user(tx: Tx, user_id: int) -> UserRow:
    """The person of this id; people are visible to everybody, only their fields differ."""
    user = await tx.row(UserRow, f"{_USER} AND u.id = :id", id=user_id)
    if user is None:
        raise errors.not_found("User")
    return user


async def find_person(tx: Tx, user_id: int) -> UserRow:
    """The person of this id, to be acted on: the ghost is nobody's to change."""
    user = await find_user(tx, user_id)
    if user.kind != "person":
        raise errors.forbidden("The ghost user cannot be changed")
    return user


async def find_user_named(tx: Tx, username: str) -> UserRow:
    """The person of this name, as operators call them."""
    user = await tx.row(UserRow, f"{_USER} AND u.username_folded = :username", username=fold(username))
    if user is None:
        raise errors.not_found("User")
    return user


async def find_user_by_ref(tx: Tx, ref: Ref) -> UserRow:
    """The person a path names, by id or by username."""
    return await find_user(tx, ref.id) if ref.id is not None else await find_user_named(tx, ref.text)


def actor_of(user: UserRow) -> Actor:
    """The person, acting for themselves by a link that only they were mailed."""
    return Actor(user.id, user.username, user.name, user.admin, user.external)
