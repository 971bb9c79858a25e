"""Mails that follow from events: enqueued in the same transaction, sent after its commit."""

from typing import Final

from mujina.kernel import clock
from mujina.kernel.db.rows import insert
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import Event
from mujina.kernel.jobs.queue import enqueue

DELIVER = "mails.deliver"
MAX_ADMINISTRATORS: Final = 20
"""The number of administrators who are told of an account that waits."""


async def enqueue_mail(tx: Tx, user_id: int, kind: str, *addresses: str) -> None:
    """Enqueue a mail to each of these addresses. The mails of a user are sent in order."""
    await enqueue(tx, DELIVER, user_id, owner_id=user_id)
    for address in dict.fromkeys(addresses):
        await insert(tx, "mails", user_id=user_id, kind=kind, address=address, created_at=clock.now())


async def mail_confirmation(tx: Tx, event: Event) -> None:
    """Mails the address to be confirmed."""
    await enqueue_mail(tx, event.subject_id, "confirmation", event.changes["email"][1])


async def mail_further_confirmation(tx: Tx, event: Event) -> None:
    await enqueue_mail(tx, event.changes["user_id"][1], "further_confirmation", event.changes["email"][1])


async def mail_administrators(tx: Tx, _: Event) -> None:
    """Mails the administrators about an account that waits for one of them."""
    found: list[int] = await tx.values(
        "SELECT u.id FROM users u WHERE u.admin AND u.state = 'active' AND u.deleted_at IS NULL ORDER BY u.id LIMIT :max",
        max=MAX_ADMINISTRATORS,
    )
    for id_ in found:
        await enqueue_mail(tx, id_, "approval_requested", await _address(tx, id_))


async def mail_approval(tx: Tx, event: Event) -> None:
    """Mails a user whom an administrator let in; one whose address is not confirmed gets the mail for that instead."""
    address: str | None = await tx.value(
        "SELECT u.email FROM users u WHERE u.id = :id AND u.confirmed_at IS NOT NULL", id=event.subject_id
    )
    if address is not None:
        await enqueue_mail(tx, event.subject_id, "approved", address)


async def mail_reset(tx: Tx, event: Event) -> None:
    await enqueue_mail(tx, event.subject_id, "reset", await _address(tx, event.subject_id))


async def mail_password_changed(tx: Tx, event: Event) -> None:
    """Mails the user, unless the operator set the password on the command line."""
    if event.actor_id is not None:
        await enqueue_mail(tx, event.subject_id, "password_changed", await _address(tx, event.subject_id))


async def mail_email_changed(tx: Tx, event: Event) -> None:
    """Also to the old address: the owner of a stolen account must learn of it."""
    if "email" in event.changes:
        await enqueue_mail(tx, event.subject_id, "email_changed", *event.changes["email"])


async def _address(tx: Tx, user_id: int) -> str:
    return await tx.value("SELECT u.email FROM users u WHERE u.id = :id", id=user_id)
