"""Links in mails: created when the mail is sent, valid once."""

from datetime import timedelta
from typing import Literal, LiteralString

from mujina.kernel import clock, secrets
from mujina.kernel.db.rows import Row, insert
from mujina.kernel.db.transaction import Tx

Purpose = Literal["confirmation", "further_confirmation", "reset"]
LIFETIMES: dict[Purpose, timedelta] = {
    "confirmation": timedelta(days=3),
    "further_confirmation": timedelta(days=3),
    "reset": timedelta(hours=6),
}
RESEND_DELAY = timedelta(minutes=1)
"""The minimum time between two links to a user for one purpose."""


class MailLinkRow(Row, alias="k"):
    purpose: Purpose
    user_id: int
    address: str


async def create(tx: Tx, purpose: Purpose, user_id: int, address: str) -> str:
    """The token of a new link; earlier links for this purpose and address become invalid."""
    token = secrets.new_oauth_token()
    await _invalidate(tx, purpose, user_id, address)
    await insert(
        tx, "mail_links", digest=secrets.digest(token), purpose=purpose, user_id=user_id, address=address,
        created_at=clock.now(), expires_at=clock.later(LIFETIMES[purpose]),
    )  # fmt: skip
    return token


_LINK: LiteralString = f"""
    SELECT {MailLinkRow.columns} FROM mail_links k JOIN users u ON u.id = k.user_id
    WHERE k.digest = :digest AND k.expires_at > :now AND u.state = 'active' AND u.deleted_at IS NULL
"""


async def find_link(tx: Tx, token: str, *, lock: bool = False) -> MailLinkRow | None:
    """The link of this token, unless it was used, expired, or its user is blocked or deleted."""
    digest, now = secrets.digest(token), clock.now()
    if lock:
        return await tx.row(MailLinkRow, f"{_LINK} FOR UPDATE OF k", digest=digest, now=now)
    return await tx.row(MailLinkRow, _LINK, digest=digest, now=now)


async def consume(tx: Tx, link: MailLinkRow) -> None:
    """Invalidate every link for the same purpose and address."""
    await _invalidate(tx, link.purpose, link.user_id, link.address)


async def _invalidate(tx: Tx, purpose: Purpose, user_id: int, address: str) -> None:
    await tx.run(
        "DELETE FROM mail_links WHERE user_id = :user_id AND purpose = :purpose AND address = :address",
        user_id=user_id,
        purpose=purpose,
        address=address,
    )


async def was_sent_recently(tx: Tx, purpose: Purpose, user_id: int) -> bool:
    found = await tx.value(
        "SELECT 1 FROM mail_links k WHERE k.user_id = :user_id AND k.purpose = :purpose AND k.created_at > :since",
        user_id=user_id,
        purpose=purpose,
        since=clock.later(-RESEND_DELAY),
    )
    return found is not None


async def delete_expired(tx: Tx) -> None:
    await tx.run("DELETE FROM mail_links WHERE expires_at <= :now", now=clock.now())
