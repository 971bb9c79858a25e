"""Whose e-mail address is whose."""

from collections.abc import Sequence

from mujina.kernel.db.transaction import Tx


async def known_addresses(tx: Tx, folded: Sequence[str]) -> set[str]:
    """Those among these folded addresses that belong to a person."""
    return set(
        await tx.values(
            "SELECT u.email_folded FROM users u WHERE u.email_folded IN :folded AND u.deleted_at IS NULL",
            folded=list(folded),
        )
    )
