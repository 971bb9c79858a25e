"""E-mail addresses as they are shown."""

import msgspec

from mujina.accounts.emails.rules import EmailRow
from mujina.kernel.db.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.paging import Page, Paged


class Email(msgspec.Struct, array_like=False):
    id: int
    email: str


def single(email: EmailRow) -> Email:
    return Email(email.id, email.email)


async def listed(tx: Tx, user_id: int, page: Page) -> Paged:
    """One page of a person's further addresses, in the order in which they came."""
    chosen = Selection("emails a", "a.user_id = :user_id AND NOT a.principal", user_id=user_id)
    rows = await tx.rows(
        tuple[int, str],
        f"SELECT a.id, a.email {chosen.text} ORDER BY a.id LIMIT :limit OFFSET :offset",
        **chosen.bound,
        **page.bound,
    )
    return page.of([Email(*row) for row in rows], await chosen.total(tx))


class Address(msgspec.Struct, array_like=True, frozen=True):
    """An address on its owner's page."""

    id: int
    email: str
    principal: bool
    confirmed_at: str | None


async def addresses_of(tx: Tx, user_id: int) -> list[Address]:
    """Every address of a person, the principal one first."""
    return await tx.rows(
        Address,
        """
        SELECT a.id, a.email, a.principal, a.confirmed_at FROM emails a
        WHERE a.user_id = :user_id ORDER BY a.principal DESC, a.id
        """,
        user_id=user_id,
    )
