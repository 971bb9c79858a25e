"""Whom one may see, and the only way to get a person."""

import msgspec

from mujina.kernel import errors
from mujina.kernel.db.transaction import Tx


class UserRow(msgspec.Struct, array_like=True, frozen=True):
    """What operations need to know of a person they act on."""

    id: int
    kind: str
    username: str
    name: str
    email: str
    state: str
    admin: bool
    updated_at: str


async def find_user(tx: Tx, user_id: int) -> UserRow:
    """The person of this id; people are visible to everybody, only their fields differ."""
    user = await tx.row(
        UserRow,
        """
        SELECT u.id, u.kind, u.username, u.name, u.email, u.state, u.admin, u.updated_at
        FROM users u WHERE u.id = :id AND u.deleted_at IS NULL
        """,
        id=user_id,
    )
    if user is None:
        raise errors.not_found("User")
    return user
