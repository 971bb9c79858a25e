"""Which e-mail addresses belong to users."""

from collections.abc import Collection, Sequence
from typing import Annotated

from mujina.accounts.emails.rules import CONFIRMED
from mujina.accounts.users.entities import RefRow, UserRef
from mujina.kernel.db.transaction import Tx
from mujina.kernel.text.folding import fold


async def known_addresses(tx: Tx, folded: Sequence[str]) -> set[str]:
    """The folded addresses among these that belong to a user, who has confirmed them."""
    return set(
        await tx.values(
            f"""SELECT a.email_folded FROM emails a JOIN users u ON u.id = a.user_id
                WHERE a.email_folded IN :folded AND {CONFIRMED}""",
            folded=list(folded),
        )
    )


class _AddressedRow(RefRow):
    address: Annotated[str, "a.email_folded"]


async def users_by_address(tx: Tx, addresses: Collection[str]) -> dict[str, UserRef]:
    """The users of these confirmed addresses, as they are spelled here."""
    folded = {fold(address): address for address in addresses if address}
    if not folded:
        return {}
    rows = await tx.rows(
        _AddressedRow,
        f"""SELECT {_AddressedRow.columns} FROM emails a JOIN users u ON u.id = a.user_id
            WHERE a.email_folded IN :folded AND {CONFIRMED} AND u.deleted_at IS NULL""",
        folded=list(folded),
    )
    found = {row.address: row.shown() for row in rows}
    return {address: found[fold(address)] for address in addresses if fold(address) in found}
