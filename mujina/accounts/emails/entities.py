"""E-mail addresses as they are shown."""

import msgspec

from mujina.accounts.emails.rules import CONFIRMED, EmailRow
from mujina.kernel.db.rows import Row
from mujina.kernel.db.sql.selection import Selection, ascending
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.lists.pages import load_rows


class Email(msgspec.Struct):
    id: int
    email: str


def to_email(email: EmailRow) -> Email:
    return Email(email.id, email.email)


async def load_page(tx: Tx, user_id: int, page: Page) -> Paged[Email]:
    """One page of a user's secondary addresses, oldest first."""
    selection = Selection("emails a", "a.user_id = :user_id AND NOT a.is_primary", user_id=user_id)
    rows = await load_rows(tx, tuple[int, str], selection, ascending("a.id"), page, columns="a.id, a.email")
    return rows.map(lambda row: Email(*row))


async def confirmed_addresses(tx: Tx, user_id: int) -> list[str]:
    """The addresses that the user has confirmed, the primary one first."""
    return await tx.values(
        f"""SELECT a.email FROM emails a JOIN users u ON u.id = a.user_id
            WHERE a.user_id = :id AND {CONFIRMED} ORDER BY a.is_primary DESC, a.id""",
        id=user_id,
    )


class AddressView(Row, alias="a"):
    """An address on the page of its user."""

    id: int
    email: str
    is_primary: bool
    confirmed_at: str | None


async def addresses_of(tx: Tx, user_id: int) -> list[AddressView]:
    """Every address of a user, the primary one first."""
    return await tx.rows(
        AddressView,
        f"""
        SELECT {AddressView.columns} FROM emails a
        WHERE a.user_id = :user_id ORDER BY a.is_primary DESC, a.id
        """,
        user_id=user_id,
    )
