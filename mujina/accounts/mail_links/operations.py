"""Links that are mailed: made when their mail leaves, used once."""

from datetime import timedelta
from typing import Literal

import msgspec

from mujina.kernel import clock, secrets
from mujina.kernel.db.transaction import Tx

Purpose = Literal["confirmation", "further_confirmation", "reset"]
LASTS: dict[Purpose, timedelta] = {
    "confirmation": timedelta(days=3),
    "further_confirmation": timedelta(days=3),
    "reset": timedelta(hours=6),
}
QUIET = timedelta(minutes=1)
"""Nobody gets two links for one purpose sooner than this by asking again."""


class LinkRow(msgspec.Struct, array_like=True, frozen=True):
    purpose: Purpose
    user_id: int
    address: str


async def make(tx: Tx, purpose: Purpose, user_id: int, address: str) -> str:
    """What stands in the link; the ones before it to this address are good no more."""
    token = secrets.new_oauth_token()
    await tx.run(
        "DELETE FROM mail_links WHERE user_id = :user_id AND purpose = :purpose AND address = :address",
        user_id=user_id, purpose=purpose, address=address,
    )  # fmt: skip
    await tx.run(
        """
        INSERT INTO mail_links (digest, purpose, user_id, address, created_at, expires_at)
        VALUES (:digest, :purpose, :user_id, :address, :now, :expires_at)
        """,
        digest=secrets.digest(token), purpose=purpose, user_id=user_id, address=address, now=clock.now(),
        expires_at=clock.later(LASTS[purpose]),
    )  # fmt: skip
    return token


async def find_link(tx: Tx, token: str) -> LinkRow | None:
    """What the link is for, while it is good and its person may act."""
    return await tx.row(
        LinkRow,
        """
        SELECT k.purpose, k.user_id, k.address FROM mail_links k JOIN users u ON u.id = k.user_id
        WHERE k.digest = :digest AND k.expires_at > :now AND u.state = 'active' AND u.deleted_at IS NULL
        FOR UPDATE OF k
        """,
        digest=secrets.digest(token),
        now=clock.now(),
    )


async def use_up(tx: Tx, link: LinkRow) -> None:
    """No link for this purpose is good any more."""
    await tx.run(
        "DELETE FROM mail_links WHERE user_id = :user_id AND purpose = :purpose AND address = :address",
        user_id=link.user_id, purpose=link.purpose, address=link.address,
    )  # fmt: skip


async def was_just_sent(tx: Tx, purpose: Purpose, user_id: int) -> bool:
    found = await tx.value(
        "SELECT 1 FROM mail_links k WHERE k.user_id = :user_id AND k.purpose = :purpose AND k.created_at > :since",
        user_id=user_id, purpose=purpose, since=clock.later(-QUIET),
    )  # fmt: skip
    return found is not None


async def sweep(tx: Tx) -> None:
    await tx.run("DELETE FROM mail_links WHERE expires_at <= :now", now=clock.now())
