"""Delivering mails: in order for each user; a failed delivery is retried with increasing delays.

A mail that the server rejects for good is given up: it holds up no later one, and the failed job shows it to operators.
"""

from email.message import EmailMessage
from typing import Annotated

from mujina.accounts.mail_links import operations as mail_links
from mujina.accounts.mails.messages import compose, unlinked
from mujina.accounts.mails.operations import DELIVER
from mujina.accounts.mails.texts import MAIL_TEXTS
from mujina.adapters import mail
from mujina.instance.application_settings.rules import read_settings
from mujina.kernel.db.rows import Row
from mujina.kernel.jobs.tasks import PermanentFailure, Run, task
from mujina.kernel.monitoring.logs import log
from mujina.kernel.urls import web


class MailRow(Row, alias="m"):
    id: int
    user_id: int
    kind: str
    address: str
    name: Annotated[str, "u.name"]
    deliverable: Annotated[bool, "u.state = 'active' AND u.deleted_at IS NULL AND m.address NOT LIKE '%.invalid'"]
    """Blocked and deleted users get no mail, and `.invalid` addresses receive none."""


@task(DELIVER)
async def deliver_mails(run: Run, key: str) -> None:
    rejected: mail.RejectedMail | None = None
    while (row := await _next(run, int(key))) is not None:
        try:
            if row.deliverable:
                await mail.send(run.services.settings, await _compose(run, row))
        except mail.RejectedMail as error:
            log.warning("mail rejected", kind=row.kind, user=row.user_id, error=str(error))
            rejected = error
        async with run.database.transaction() as tx:
            await tx.run("DELETE FROM mails WHERE id = :id", id=row.id)
    if rejected is not None:
        raise PermanentFailure(f"the mail server rejected a mail: {rejected}") from rejected


async def _next(run: Run, user_id: int) -> MailRow | None:
    async with run.database.reading() as tx:
        return await tx.row(
            MailRow,
            f"""
            SELECT {MailRow.columns} FROM mails m JOIN users u ON u.id = m.user_id
            WHERE m.user_id = :user_id ORDER BY m.id LIMIT 1
            """,
            user_id=user_id,
        )


async def _compose(run: Run, row: MailRow) -> EmailMessage:
    """The mail, with a new secret in its link."""
    settings, text = run.services.settings, MAIL_TEXTS[row.kind]
    link = web(text.path) if text.path else ""
    if text.query:
        link += f"?{text.query}"
    async with run.database.reading() as tx:
        html = (await read_settings(tx)).html_emails_enabled
    if text.purpose is not None:
        async with run.database.transaction() as tx:
            link += await mail_links.create(tx, text.purpose, row.user_id, row.address)
    lines = [line.format(name=unlinked(row.name), address=row.address) for line in text.lines]
    return compose(settings, row.address, text.subject, lines, link=link, label=text.label, html=html)
