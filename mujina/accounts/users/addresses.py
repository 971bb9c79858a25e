"""Which e-mail addresses belong to users."""

from collections.abc import Sequence

from mujina.kernel.db.transaction import Tx


async def known_addresses(tx: Tx, folded: Sequence[str]) -> set[str]:
    """The folded addresses among these that belong to a user. A secondary address counts once it is confirmed."""
    return set(
        await tx.values(
            """SELECT a.email_folded FROM emails a
               WHERE a.email_folded IN :folded AND (a.is_primary OR a.confirmed_at IS NOT NULL)""",
            folded=list(folded),
        )
    )
