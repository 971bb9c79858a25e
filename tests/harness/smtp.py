"""A real SMTP server in the event loop of the tests."""

from asyncio import AbstractEventLoop
from collections.abc import Generator
from contextlib import contextmanager
from email import policy
from email.message import EmailMessage
from email.parser import BytesParser
from typing import Any

from aiosmtpd.smtp import SMTP


class SmtpReceiver:
    """Keeps what it was sent; answers with `replies` first, one for each mail."""

    def __init__(self) -> None:
        self.mails: list[Any] = []
        self.replies: list[str] = []
        self.unknown: set[str] = set()
        """Recipients whom it rejects."""
        self.port = 0
        self.connections = 0

    def taken(self) -> list[EmailMessage]:
        """The mails since the last call."""
        found = [BytesParser(EmailMessage, policy=policy.default).parsebytes(mail.content) for mail in self.mails]
        self.mails.clear()
        return found

    async def handle_RCPT(self, server: Any, session: Any, envelope: Any, address: str, options: Any) -> str:  # noqa: N802, ARG002 - aiosmtpd decides
        if address in self.unknown:
            return "550 No such user"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:  # noqa: N802, ARG002 - aiosmtpd decides
        reply = self.replies.pop(0) if self.replies else "250 OK"
        if reply.startswith("2"):
            self.mails.append(envelope)
        return reply


@contextmanager
def smtp_receiver(loop: AbstractEventLoop) -> Generator[SmtpReceiver]:
    receiver = SmtpReceiver()

    def connected() -> SMTP:
        receiver.connections += 1
        return SMTP(receiver, loop=loop)

    server = loop.run_until_complete(loop.create_server(connected, "127.0.0.1", 0))
    receiver.port = server.sockets[0].getsockname()[1]
    try:
        yield receiver
    finally:
        server.close()
