"""Whose e-mail address is whose."""

from collections.abc import Sequence

from mujina.kernel.db.transaction import Tx


async def known_addresses(tx: Tx, folded: Sequence[str]) -> set[str]:
    """Those among these folded addresses that belong to a person; a further address only once it is confirmed."""
    return set(
        await tx.values(
            """SELECT a.email_folded FROM emails a
               WHERE a.email_folded IN :folded AND (a.principal OR a.confirmed_at IS NOT NULL)""",
            folded=list(folded),
        )
    )
