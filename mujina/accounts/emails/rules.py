"""The only way to get a further e-mail address: through the person whose it is."""

import msgspec

from mujina.kernel import errors
from mujina.kernel.db.transaction import Tx
from mujina.kernel.text import fold


class EmailRow(msgspec.Struct, array_like=True, frozen=True):
    """What operations need to know of an address they act on."""

    id: int
    user_id: int
    email: str
    confirmed_at: str | None
    updated_at: str


async def find_email(tx: Tx, user_id: int, email_id: int) -> EmailRow:
    """A further address of this person; the principal one is part of the person and no e-mail of its own."""
    email = await tx.row(
        EmailRow,
        """
        SELECT a.id, a.user_id, a.email, a.confirmed_at, a.updated_at FROM emails a
        WHERE a.id = :id AND a.user_id = :user_id AND NOT a.principal
        """,
        id=email_id,
        user_id=user_id,
    )
    if email is None:
        raise errors.not_found("Email")
    return email


async def find_email_at(tx: Tx, user_id: int, address: str) -> EmailRow:
    """The further address of this person that reads so."""
    email = await tx.row(
        EmailRow,
        """
        SELECT a.id, a.user_id, a.email, a.confirmed_at, a.updated_at FROM emails a
        WHERE a.email_folded = :folded AND a.user_id = :user_id AND NOT a.principal
        """,
        folded=fold(address),
        user_id=user_id,
    )
    if email is None:
        raise errors.not_found("Email")
    return email
