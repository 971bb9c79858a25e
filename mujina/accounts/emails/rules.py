"""The only ways to look up a secondary e-mail address: through its user."""

from typing import LiteralString

from mujina.kernel.db.rows import Row, find_row
from mujina.kernel.db.sql.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.text.folding import fold

CONFIRMED: LiteralString = "(a.confirmed_at IS NOT NULL OR (a.is_primary AND u.confirmed_at IS NOT NULL))"
"""Whether the user `u` has confirmed the address `a`: anyone can enter the address of someone else."""

PUBLIC_EMAIL: LiteralString = "(SELECT a.email FROM emails a WHERE a.user_id = u.id AND a.is_public)"
"""The address that the user `u` shows to everyone; NULL if they show none."""


class EmailRow(Row, alias="a"):
    id: int
    user_id: int
    email: str
    updated_at: str


def _secondary_of(user_id: int) -> Selection:
    return Selection("emails a", "a.user_id = :user_id AND NOT a.is_primary", user_id=user_id)


async def find_email(tx: Tx, user_id: int, email_id: int) -> EmailRow:
    """A secondary address of this user. The primary address is a field of the user and is not found here."""
    return await find_row(tx, EmailRow, _secondary_of(user_id).where("a.id = :id", id=email_id), "Email")


async def find_email_at(tx: Tx, user_id: int, address: str) -> EmailRow:
    """The secondary address of this user with this text."""
    selection = _secondary_of(user_id).where("a.email_folded = :folded", folded=fold(address))
    return await find_row(tx, EmailRow, selection, "Email")


async def public_address_of(tx: Tx, user_id: int) -> str:
    """The address that the user shows to others; empty: none."""
    return await tx.value("SELECT a.email FROM emails a WHERE a.user_id = :id AND a.is_public", id=user_id) or ""
