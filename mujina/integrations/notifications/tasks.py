"""Mail notifications in the background: an event is handed out in steps, then its mails are sent in batches.

A batch is a job of its own, so a mail server that fails is tried again with increasing delays. A mail is deleted when the
server has taken it: a crash in between repeats that one mail, under the same Message-ID.
"""

import asyncio
from contextlib import AsyncExitStack
from datetime import timedelta
from typing import Final

from mujina.accounts.users.sign_in.addresses import users_by_address
from mujina.adapters import mail
from mujina.adapters.git.transport import pushes
from mujina.code.pushes.repo_paths import find_storage, repo_path_to_read
from mujina.instance.application_settings.rules import read_settings
from mujina.integrations.notifications import operations
from mujina.integrations.notifications.announcements import Announcement, find_announcement, find_audience, is_gone
from mujina.integrations.notifications.messages import MailRecipient, compose, html_text
from mujina.integrations.notifications.operations import DELIVER, FAN_OUT, WaitingMail
from mujina.integrations.notifications.recipients import MailAudience, candidates, reason_for
from mujina.integrations.notifications.threads import MailThread, readers
from mujina.kernel.db.transaction import Tx
from mujina.kernel.jobs.tasks import Run, task
from mujina.kernel.monitoring.logs import log
from mujina.kernel.monitoring.metrics import count_mail

STEP: Final = 500
"""Users whom one step considers: it holds a transaction for milliseconds, however many users watch."""
BATCH: Final = 50
"""Mails that one job sends over one connection."""


@task(FAN_OUT)
async def fan_out(run: Run, key: str) -> None:
    """Store a mail for each user whom the event concerns and who may read its subject."""
    event_id = int(key)
    announcement = await _announcement(run, event_id)
    if announcement is None or run.services.settings.smtp_url is None:
        return
    author_id = await _commit_author(run, announcement.thread)
    async with run.database.reading() as tx:
        audience = await find_audience(tx, announcement, commit_author_id=author_id)
        after = await operations.read_progress(tx, event_id)
    while (next_after := await _step(run, announcement, audience, after)) is not None:
        after = next_after


async def _step(run: Run, announcement: Announcement, audience: MailAudience, after: int) -> int | None:
    """Hand the event out to the next users; the last of them, or None when there are no more."""
    async with run.database.searching() as tx:
        considered = await candidates(tx, audience, after, STEP)
        chosen = {each.user_id: reason for each in considered if (reason := reason_for(audience, each)) is not None}
        allowed = await _allowed(tx, announcement, list(chosen))
    if not considered:
        return None
    last = considered[-1].user_id
    reasons = {user_id: chosen[user_id] for user_id in allowed}
    async with run.database.transaction() as tx:
        ours = await operations.hand_out(
            tx, announcement.event.id, reasons, after=after, last=last, owner_id=run.owner_id, batch=BATCH
        )
    return last if ours and len(considered) == STEP else None


@task(DELIVER)
async def deliver_batch(run: Run, key: str) -> None:
    """Send the mails of one event to the users between two ids, each if they may still read its subject."""
    event_id, first, last = map(int, key.split(":"))
    announcement = await _announcement(run, event_id)
    if announcement is None or run.services.settings.smtp_url is None:
        async with run.database.transaction() as tx:
            await operations.remove_waiting(tx, event_id, first, last)
        return
    async with AsyncExitStack() as stack:
        batch = _Batch(run, announcement, stack)
        await batch.deliver(first, last)


class _Batch:
    """The mails of one job: one connection, which is opened for the first mail."""

    def __init__(self, run: Run, announcement: Announcement, stack: AsyncExitStack) -> None:
        self._run = run
        self._announcement = announcement
        self._stack = stack
        self._connection: mail.Connection | None = None
        self._html = True

    async def deliver(self, first: int, last: int) -> None:
        """Send what waits. A mail that the server postpones keeps none of the others: the job fails after the last."""
        async with self._run.database.reading() as tx:
            self._html = (await read_settings(tx)).html_emails_enabled
        event_id, audience = self._announcement.event.id, MailAudience(thread=self._announcement.thread).bound
        after, postponed = first - 1, None
        while True:
            async with self._run.database.reading() as tx:
                waiting = await operations.next_waiting(tx, event_id, after, last, audience)
                recipient = None if waiting is None else await self._recipient(tx, waiting)
            if waiting is None:
                break
            after = waiting.user_id
            try:
                await self._send(recipient)
            except mail.PostponedMail as error:
                postponed = error
                continue
            async with self._run.database.transaction() as tx:
                await operations.remove_waiting(tx, event_id, after, after)
        if postponed is not None:
            raise postponed

    async def _recipient(self, tx: Tx, waiting: WaitingMail) -> MailRecipient | None:
        """The recipient as they are now; None if they may no longer read the subject, or want or can get no mail."""
        announcement, user_id = self._announcement, waiting.user_id
        if (
            not waiting.deliverable
            or not await _allowed(tx, announcement, [user_id])
            or await is_gone(tx, announcement)
        ):
            return None
        there = announcement.destination
        sees = there is not None and bool(await readers(tx, there.kind, there.subject.id, [user_id]))
        html = await html_text(self._run.services, tx, waiting.actor, announcement) if self._html else None
        return MailRecipient(user_id, waiting.address, waiting.reason, sees, html)

    async def _send(self, recipient: MailRecipient | None) -> None:
        """Send one mail; a server that rejects it for good will not get it again."""
        if recipient is None:
            count_mail("withheld")
            return
        settings = self._run.services.settings
        if self._connection is None:
            self._connection = await self._stack.enter_async_context(mail.connected(settings))
        try:
            message = compose(self._run.services, self._announcement, recipient)
        except Exception as error:  # noqa: BLE001 - one mail that cannot be written does not hold up the others
            self._drop(recipient, error)
            return
        try:
            await self._connection.send(message, recipient.address)
            count_mail("sent")
        except mail.RejectedMail as error:
            self._drop(recipient, error)
        except mail.PostponedMail:
            count_mail("postponed")
            raise

    def _drop(self, recipient: MailRecipient, error: Exception) -> None:
        log.warning("mail rejected", event_id=self._announcement.event.id, user=recipient.user_id, error=str(error))
        count_mail("rejected")


async def _allowed(tx: Tx, announcement: Announcement, user_ids: list[int]) -> list[int]:
    """Returns those users who may know of the event."""
    thread, main = announcement.thread, announcement.notices[0]
    if not user_ids or main == "expire_member":
        return user_ids  # who loses access is told so by name only
    return await readers(tx, thread.kind, thread.subject.id, user_ids, managing=main == "request_access")


async def _commit_author(run: Run, thread: MailThread) -> int | None:
    """The user whose confirmed address the author of a commit has."""
    subject = thread.subject
    if thread.kind != "commit" or subject.project_id is None:
        return None
    storage = await find_storage(run.services, subject.project_id)
    if storage is None:
        return None
    repository = await repo_path_to_read(run.services, storage, subject.project_id)
    commit = await asyncio.to_thread(pushes.find_commit_info, repository, subject.number)
    if commit is None:
        return None
    async with run.database.reading() as tx:
        user = (await users_by_address(tx, [commit.author_email])).get(commit.author_email)
    return user and user.id


async def _announcement(run: Run, event_id: int) -> Announcement | None:
    async with run.database.reading() as tx:
        return await find_announcement(tx, event_id)


@task("notifications.sweep", every=timedelta(days=1))
async def sweep_notifications(run: Run, key: str) -> None:  # noqa: ARG001 - a scheduled task has no key
    """Delete mail that could not be sent for a week, and the progress of events that were handed out long ago."""
    async with run.database.transaction() as tx:
        await operations.sweep(tx)
