"""Mails leave, person by person, in order; what the server does not take is tried again, later and later."""

from email.message import EmailMessage
from email.utils import formatdate, make_msgid
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from mujina.accounts.mail_links import operations as mail_links
from mujina.accounts.mails.operations import DELIVER
from mujina.accounts.mails.texts import MAIL_TEXTS
from mujina.adapters import mail
from mujina.instance.application_settings.rules import read_settings
from mujina.kernel.jobs.tasks import Run, task
from mujina.kernel.templates import render
from mujina.settings import Settings

TEMPLATES = Path(__file__).parent / "templates"


class MailRow(msgspec.Struct, array_like=True, frozen=True):
    id: int
    user_id: int
    kind: str
    address: str
    name: str
    wanted: bool
    """No mail goes to who is blocked or gone."""


@task(DELIVER)
async def deliver_mails(run: Run, key: str) -> None:
    while (row := await _next(run, int(key))) is not None:
        if row.wanted:
            await mail.send(run.services.settings, await _compose(run, row))
        async with run.database.transaction() as tx:
            await tx.run("DELETE FROM mails WHERE id = :id", id=row.id)


async def _next(run: Run, user_id: int) -> MailRow | None:
    async with run.database.reading() as tx:
        return await tx.row(
            MailRow,
            """
            SELECT m.id, m.user_id, m.kind, m.address, u.name, u.state = 'active' AND u.deleted_at IS NULL
            FROM mails m JOIN users u ON u.id = m.user_id
            WHERE m.user_id = :user_id ORDER BY m.id LIMIT 1
            """,
            user_id=user_id,
        )


async def _compose(run: Run, row: MailRow) -> EmailMessage:
    """The mail, with a link of its own. It leads to the configured address, whatever host a request named."""
    settings, letter = run.services.settings, MAIL_TEXTS[row.kind]
    link = ""
    async with run.database.reading() as tx:
        html = (await read_settings(tx)).html_emails_enabled
    if letter.purpose is not None:
        async with run.database.transaction() as tx:
            token = await mail_links.make(tx, letter.purpose, row.user_id, row.address)
        link = f"{settings.url}{letter.path}{token}"
    lines = [line.format(name=row.name, address=row.address) for line in letter.lines]
    words = {"lines": lines, "link": link, "label": letter.label, "url": settings.url, "subject": letter.subject}
    message = EmailMessage()
    message["Subject"] = letter.subject
    message["From"] = settings.mail_from
    message["To"] = row.address
    message["Date"] = formatdate()
    message["Message-ID"] = make_msgid(domain=_host(settings))
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(render(TEMPLATES, "mail.txt", **words))
    if html:
        message.add_alternative(render(TEMPLATES, "mail.html", **words), subtype="html")
    return message


def _host(settings: Settings) -> str:
    return urlsplit(settings.url).hostname or "localhost"
