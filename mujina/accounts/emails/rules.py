"""The only ways to look up a secondary e-mail address: through its user."""

from typing import LiteralString

from mujina.kernel import errors
from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Tx
from mujina.kernel.text.folding import fold

CONFIRMED: LiteralString = "(a.confirmed_at IS NOT NULL OR (a.is_primary AND u.confirmed_at IS NOT NULL))"
"""Whether the user `u` has confirmed the address `a`: anyone can enter the address of someone else."""


class EmailRow(Row, alias="a"):
    id: int
    user_id: int
    email: str
    confirmed_at: str | None
    updated_at: str


_SECONDARY: LiteralString = f"SELECT {EmailRow.columns} FROM emails a WHERE a.user_id = :user_id AND NOT a.is_primary"


async def find_email(tx: Tx, user_id: int, email_id: int) -> EmailRow:
    """A secondary address of this user. The primary address is a field of the user and is not found here."""
    email = await tx.row(EmailRow, f"{_SECONDARY} AND a.id = :id", id=email_id, user_id=user_id)
    return errors.or_not_found(email, "Email")


async def find_email_at(tx: Tx, user_id: int, address: str) -> EmailRow:
    """The secondary address of this user with this text."""
    email = await tx.row(EmailRow, f"{_SECONDARY} AND a.email_folded = :folded", folded=fold(address), user_id=user_id)
    return errors.or_not_found(email, "Email")


async def public_address_of(tx: Tx, user_id: int) -> str:
    """The address that the user shows to others; empty: none."""
    return await tx.value("SELECT a.email FROM emails a WHERE a.user_id = :id AND a.is_public", id=user_id) or ""
