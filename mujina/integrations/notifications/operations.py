"""Handing out an event to its recipients: enqueued with the event, in steps, each recipient once."""

from datetime import timedelta
from typing import Annotated, Final, LiteralString

from mujina.accounts.emails.rules import CONFIRMED
from mujina.accounts.users.rules import actor_of, find_user
from mujina.integrations.notifications.links import Unsubscription
from mujina.integrations.notifications.notices import notices_of
from mujina.integrations.notifications.recipients import SETTING, UNSUBSCRIBED
from mujina.kernel import clock, errors
from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import Event
from mujina.kernel.jobs.queue import enqueue
from mujina.kernel.permissions.actor import Actor
from mujina.planning.noteables.kinds import noteable_kind
from mujina.planning.subscriptions import operations as subscriptions
from mujina.workspaces.notification_settings import operations as notification_settings
from mujina.workspaces.notification_settings.params import EditGlobalNotifications
from mujina.workspaces.notification_settings.rules import NotificationScope

FAN_OUT: Final = "notifications.fan_out"
DELIVER: Final = "notifications.deliver"
RETENTION: Final = timedelta(days=7)
"""Mail that could not be sent for so long is not sent any more."""


async def notify(tx: Tx, event: Event) -> None:
    """Mail the event to those whom it concerns, soon after the commit: one statement, none without a mail server."""
    if tx.settings.smtp_url is not None and notices_of(event.kind, event.changes):
        await enqueue(tx, FAN_OUT, event.id, owner_id=event.actor_id)


async def read_progress(tx: Tx, event_id: int) -> int:
    """The last user to whom the event was handed out; 0: none yet."""
    found = await tx.value(
        "SELECT f.last_user_id FROM notification_fanouts f WHERE f.event_id = :event_id", event_id=event_id
    )
    return found or 0


async def hand_out(
    tx: Tx, event_id: int, reasons: dict[int, str], *, after: int, last: int, owner_id: int, batch: int
) -> bool:
    """Store the mail of one step, for users behind `after` up to `last`; False if another run did so before."""
    user_ids = sorted(reasons)
    batches = [user_ids[start : start + batch] for start in range(0, len(user_ids), batch)]
    for key in sorted(f"{event_id}:{each[0]}:{each[-1]}" for each in batches):
        await enqueue(tx, DELIVER, key, owner_id=owner_id)
    stored = await tx.run(
        """
        INSERT INTO notification_fanouts (event_id, last_user_id, created_at) VALUES (:event_id, :last, :now)
        ON CONFLICT (event_id) DO UPDATE SET last_user_id = excluded.last_user_id
        WHERE notification_fanouts.last_user_id = :after
        """,
        event_id=event_id, last=last, after=after, now=clock.now(),
    )  # fmt: skip
    if not stored:
        return False
    for reason in sorted(set(reasons.values())):
        await tx.run(
            """
            INSERT INTO notifications (event_id, user_id, reason, created_at)
            SELECT CAST(:event_id AS bigint), u.id, :reason, :now FROM users u WHERE u.id IN :user_ids
            ON CONFLICT DO NOTHING
            """,
            event_id=event_id,
            reason=reason,
            now=clock.now(),
            user_ids=[user_id for user_id in user_ids if reasons[user_id] == reason],
        )
    return True


_ADDRESS: LiteralString = f"""coalesce(
    (SELECT a.email FROM notification_settings s JOIN emails a ON a.user_id = s.user_id AND a.email = s.email
     WHERE s.user_id = u.id AND s.source_kind = 'everything' AND s.source_id = 0
     AND {CONFIRMED}),
    CASE WHEN u.confirmed_at IS NOT NULL THEN u.email END, '')"""


class WaitingMail(Row, alias="q"):
    """A mail that waits, with its recipient (`u`) as they are now."""

    user_id: int
    reason: str
    address: Annotated[str, _ADDRESS]
    """The notification email if it is confirmed, else the primary one; empty if neither is confirmed."""
    admin: Annotated[bool, "u.admin"]
    external: Annotated[bool, "u.external"]
    active: Annotated[bool, "(u.state = 'active' AND u.kind = 'person' AND u.deleted_at IS NULL)"]
    setting: Annotated[str, SETTING]
    unsubscribed: Annotated[bool, UNSUBSCRIBED]

    @property
    def actor(self) -> Actor:
        """The recipient, as a reader of texts."""
        return Actor(id=self.user_id, admin=self.admin, external=self.external)

    @property
    def deliverable(self) -> bool:
        """Whether the recipient can and wants to get it. An `.invalid` address stands for none."""
        wanted = not self.unsubscribed and (self.reason == "subscribed" or self.setting.split()[0] != "disabled")
        return wanted and self.active and self.address != "" and not self.address.endswith(".invalid")


_WAITING: LiteralString = f"""
    SELECT {WaitingMail.columns} FROM notifications q JOIN users u ON u.id = q.user_id
    WHERE q.event_id = :event_id AND q.user_id > :after AND q.user_id <= :last ORDER BY q.user_id LIMIT 1"""


async def next_waiting(
    tx: Tx, event_id: int, after: int, last: int, audience: dict[str, int | str]
) -> WaitingMail | None:
    """The mail of the next user behind the id `after`; `audience` is bound as in `MailAudience.bound`."""
    return await tx.row(WaitingMail, _WAITING, event_id=event_id, after=after, last=last, **audience)


async def remove_waiting(tx: Tx, event_id: int, first: int, last: int) -> None:
    """Removes mails that were sent, or will not be."""
    await tx.run(
        "DELETE FROM notifications WHERE event_id = :event_id AND user_id >= :first AND user_id <= :last",
        event_id=event_id,
        first=first,
        last=last,
    )


async def sweep(tx: Tx) -> None:
    """Delete what is older than `RETENTION`."""
    since = clock.later(-RETENTION)
    await tx.run("DELETE FROM notifications WHERE created_at < :since", since=since)
    await tx.run("DELETE FROM notification_fanouts WHERE created_at < :since", since=since)


async def unsubscribe(tx: Tx, unsubscription: Unsubscription) -> None:
    """End the mail about one subject, or all of it; 404 if the user no longer exists."""
    actor = actor_of(await find_user(tx, unsubscription.user_id))
    kind, id = unsubscription.kind, unsubscription.id
    if kind == "everything":
        change = EditGlobalNotifications(level="disabled")
        await notification_settings.edit(tx, actor, NotificationScope(), change)
    elif kind == "commit" or noteable_kind(tx.product, kind) is not None:
        await subscriptions.put(tx, actor, kind, id, subscribed=False)
    else:
        raise errors.not_found("Page")
