"""The mail of one recipient: two parts, and headers by which mail programs thread, filter and unsubscribe."""

import re
from email import policy
from email.headerregistry import Address, BaseHeader, HeaderRegistry, UnstructuredHeader
from email.message import EmailMessage
from email.policy import EmailPolicy, Policy
from email.utils import formatdate, parseaddr
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import msgspec

from mujina.accounts.mails.messages import one_line
from mujina.integrations.notifications.announcements import Announcement
from mujina.integrations.notifications.links import Unsubscription
from mujina.kernel import clock
from mujina.kernel.db.transaction import Tx
from mujina.kernel.html.templates import render
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.services import Services
from mujina.rendering import markdown
from mujina.rendering.html import Html, escape
from mujina.rendering.markdown import MarkdownText
from mujina.rendering.markdown_pieces import TextPlace
from mujina.settings import Settings

TEMPLATES: Final = Path(__file__).parent / "templates"
MAX_SUBJECT_LENGTH: Final = 200
MAX_NAME_LENGTH: Final = 100
MAX_PATH_LENGTH: Final = 500
MAX_TEXT_LENGTH: Final = 20_000

FAMILY_REASONS: Final = frozenset({"assigned", "mentioned", "review_requested", "subscribed"})
"""The reasons that filters written for the family know."""

REASONS: Final = {
    "assigned": "you are assigned",
    "review_requested": "your review is requested",
    "approval_required": "your approval is required",
    "mentioned": "you are mentioned",
    "unassigned": "you were assigned before",
    "subscribed": "you subscribed",
    "participating": "you participate",
    "watching": "you watch this project or group",
    "custom": "your notification settings include it",
    "membership": "it concerns your access",
    "managing_members": "you manage the members",
}


class UnfoldedHeader(UnstructuredHeader, BaseHeader):
    """A header in one line as it is written: programs read it, and none of them decodes a long address first."""

    def fold(self, *, policy: Policy) -> str:
        return f"{self.name}: {self}{policy.linesep}"


UNFOLDED: Final = ("Message-ID", "In-Reply-To", "References", "List-Id", "List-Unsubscribe", "X-Gitlab-Project-Path")


def _policy() -> "EmailPolicy[EmailMessage]":
    registry = HeaderRegistry()
    for name in UNFOLDED:
        registry.map_to_type(name, UnfoldedHeader)
    return policy.default.clone(header_factory=registry)


_POLICY: Final = _policy()


class MailRecipient(msgspec.Struct, frozen=True):
    user_id: int
    address: str
    reason: str
    sees_destination: bool
    """Whether they may read the issue that a moved one became."""
    html: str | None = None
    """The text with links to what they may read; None: the mail has no HTML part."""


def compose(services: Services, announcement: Announcement, recipient: MailRecipient) -> EmailMessage:
    """The mail. Its links use the configured address."""
    settings, thread = services.settings, announcement.thread
    everything = announcement.about_membership or announcement.about_pipeline
    kind, id = ("everything", 0) if everything else (thread.kind, thread.subject.id)
    leaving = Unsubscription(recipient.user_id, kind, id)
    unsubscribe_url = _ascii_base(settings) + leaving.path(services.vault)
    message = EmailMessage(policy=_POLICY)
    message["Subject"] = _subject_line(announcement)
    message["From"] = _sender(settings, announcement.actor_name)
    message["To"] = _address("", recipient.address)
    message["Date"] = formatdate(clock.seconds(announcement.event.created_at))
    _add_thread_headers(message, announcement, _host(settings))
    message["List-Id"] = f"{thread.subject.path[:MAX_NAME_LENGTH]} <{thread.list}.{_host(settings)}>"
    message["List-Unsubscribe"] = f"<{unsubscribe_url}>"
    message["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    _add_automatic_headers(message, recipient.reason)
    context = {
        "headline": announcement.headline,
        "title": "" if announcement.about_membership else thread.subject.title,
        "text": bounded_text(announcement),
        "html": recipient.html,
        "details": [*announcement.details, *_destination(announcement, recipient)],
        "url": announcement.url,
        "reason": REASONS[recipient.reason],
        "unsubscribe_url": unsubscribe_url,
        "everything": everything,
        "noun": thread.noun,
    }
    message.set_content(render(TEMPLATES, "notification.txt", **context))
    if recipient.html is not None:
        message.add_alternative(render(TEMPLATES, "notification.html", **context), subtype="html")
    return message


def _add_automatic_headers(message: EmailMessage, reason: str) -> None:
    """Programs must not reply, and may sort by the reason."""
    message["Auto-Submitted"] = "auto-generated"
    message["Precedence"] = "bulk"
    message["X-Auto-Response-Suppress"] = "All"
    message["X-Mujina-NotificationReason"] = reason
    if reason in FAMILY_REASONS:
        message["X-Gitlab-NotificationReason"] = reason


def _subject_line(announcement: Announcement) -> str:
    """`Project | Title (#1)`, with `Re:` in front of all but the first of a thread. The reference is never cut off."""
    thread = announcement.thread
    owner = _line(thread.subject.owner_name, MAX_NAME_LENGTH)
    if announcement.subject:
        return f"{owner} | {announcement.subject.format(title=_line(thread.subject.title, MAX_SUBJECT_LENGTH))}"
    reply = "" if announcement.new else "Re: "
    room = MAX_SUBJECT_LENGTH - len(owner) - len(reply) - len(thread.reference)
    return f"{reply}{owner} | {_line(thread.subject.title, room)} ({thread.reference})"


def _add_thread_headers(message: EmailMessage, announcement: Announcement, host: str) -> None:
    """The first mail about a subject has an id that the later ones refer to, whether or not the recipient got it."""
    thread, event = announcement.thread, announcement.event
    first = f"<{thread.kind}_{thread.subject.id}@{host}>"
    if announcement.new:
        message["Message-ID"] = first
    else:
        message["Message-ID"] = f"<{thread.kind}_{thread.subject.id}.{event.id}@{host}>"
    if not announcement.new and not announcement.about_membership:
        message["In-Reply-To"] = first
        message["References"] = first
    subject = thread.subject
    if subject.project_id is not None:
        message["X-Gitlab-Project-Id"] = str(subject.project_id)
        message["X-Gitlab-Project-Path"] = subject.path[:MAX_PATH_LENGTH]
    if thread.kind in ("issue", "merge_request", "epic"):
        name = "".join(word.capitalize() for word in thread.kind.split("_"))
        message[f"X-Gitlab-{name}-Id"] = str(subject.id)
        message[f"X-Gitlab-{name}-Iid"] = subject.number


def _destination(announcement: Announcement, recipient: MailRecipient) -> list[str]:
    """Where an issue was moved to, for those who may read it there."""
    if announcement.notices[0] != "move_issue":
        return []
    there = announcement.destination
    if there is None or not recipient.sees_destination:
        return ["It was moved to another project."]
    return [f"It was moved to {there.subject.path}{there.reference}: {there.url}"]


def _sender(settings: Settings, name: str) -> Address:
    """The address of the instance, under the name of the user who did it."""
    own_name, address = parseaddr(settings.mail_from)
    return _address(_line(name, MAX_NAME_LENGTH) or own_name, address)


def _address(name: str, address: str) -> Address:
    user, _, domain = address.rpartition("@")
    return Address(display_name=name, username=user, domain=domain)


def _line(text: str, room: int) -> str:
    """The text as one line: control characters, line breaks above all, would end the header."""
    line = one_line(text)
    return line if len(line) <= room else f"{line[: room - 1]}…"


def bounded_text(announcement: Announcement) -> str:
    """The description or comment, cut if it is too long for a mail."""
    text = (announcement.text or "").replace("\r\n", "\n")
    return text if len(text) <= MAX_TEXT_LENGTH else f"{text[:MAX_TEXT_LENGTH]}\n\n…"


async def html_text(services: Services, tx: Tx, reader: Actor, announcement: Announcement) -> Html:
    """The text as this reader may see it. Its links are complete, because a mail has no address of its own."""
    subject, base = announcement.thread.subject, services.settings.url
    place = TextPlace(
        base=base, project=subject.path if subject.project_id is not None else "",
        group="" if subject.project_id is not None else subject.path, anchors=False, formulas=False,
    )  # fmt: skip
    [html] = await markdown.show(services, tx, reader, [MarkdownText(bounded_text(announcement), place)])
    return Html(_TAG.sub(lambda tag: _LOCAL.sub(rf'\1="{escape(base)}/', tag[0]), html))


_TAG: Final = re.compile(r"<[^>]*>")
_LOCAL: Final = re.compile(r'(?<= )(href|src)="/(?!/)')


def _host(settings: Settings) -> str:
    """The name of the instance, as mail servers spell it."""
    host = urlsplit(settings.url).hostname or "localhost"
    try:
        return host.encode("idna").decode()
    except UnicodeError:
        return "localhost"


def _ascii_base(settings: Settings) -> str:
    """The address of the instance, as headers can contain it."""
    url = urlsplit(settings.url)
    port = "" if url.port is None else f":{url.port}"
    return settings.url if settings.url.isascii() else f"{url.scheme}://{_host(settings)}{port}"
