"""Mails as messages: plain text, and HTML where the settings want it."""

from collections.abc import Sequence
from email.message import EmailMessage
from email.utils import formatdate, make_msgid
from pathlib import Path
from urllib.parse import urlsplit

from mujina.kernel.html.templates import render
from mujina.kernel.text.deferred_patterns import deferred_pattern
from mujina.settings import Settings

TEMPLATES = Path(__file__).parent / "templates"
_BEFORE_TEXT = deferred_pattern("([.:\u3002\uff0e\uff61])(?=\\S)")
"""Colons, and what domains are divided by, except at the end of a word."""


def compose(
    settings: Settings,
    address: str,
    subject: str,
    lines: Sequence[str],
    *,
    link: str,
    label: str,
    html: bool,
    listing: str = "",
) -> EmailMessage:
    """The mail with these paragraphs, a listing whose lines stay as they are, and a link.

    Links use the configured URL, never the host that a request named.
    """
    subject = one_line(subject)
    context = {
        "lines": lines,
        "listing": listing,
        "link": link,
        "label": label,
        "url": settings.url,
        "subject": subject,
    }
    message = EmailMessage()
    message["Subject"] = subject
    message["From"] = settings.mail_from
    message["To"] = address
    message["Date"] = formatdate()
    message["Message-ID"] = make_msgid(domain=_host(settings))
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(render(TEMPLATES, "mail.txt", **context))
    if html:
        message.add_alternative(render(TEMPLATES, "mail.html", **context), subtype="html")
    return message


def one_line(text: str) -> str:
    """The text without line breaks, so that a name in a sentence cannot begin a paragraph of its own."""
    return " ".join("".join(each if each.isprintable() else " " for each in text).split())


def unlinked(text: str) -> str:
    """The text on one line and with gaps, so that mail programs make no link of it.

    Strangers get mail with names that users choose: none of them is a way to send them an address.
    """
    return _BEFORE_TEXT.sub(r"\1 ", one_line(text))


def _host(settings: Settings) -> str:
    return urlsplit(settings.url).hostname or "localhost"
