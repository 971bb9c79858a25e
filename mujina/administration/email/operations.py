"""A mail that shows whether mail works."""

import asyncio
from email.message import EmailMessage
from email.utils import formatdate, make_msgid
from typing import Final

from mujina.accounts.emails import operations as emails
from mujina.adapters import mail
from mujina.kernel import errors
from mujina.kernel.errors import Problems
from mujina.kernel.monitoring.logs import log
from mujina.settings import Settings

TIMEOUT_SECONDS: Final = 10.0


async def send_test_mail(settings: Settings, address: str) -> None:
    """Send a mail to the address, or say that the server did not take it."""
    problems = Problems()
    emails.check_address(problems, address)
    problems.refuse()
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = settings.mail_from, address, "Test mail from Mujina"
    message["Date"], message["Message-ID"] = formatdate(), make_msgid(domain="mujina")
    message.set_content(f"This mail was sent by {settings.url} to test its mail server.\n")
    try:
        async with asyncio.timeout(TIMEOUT_SECONDS):
            await mail.send(settings, message)
    except Exception as error:  # noqa: BLE001 - whatever the server or the network said
        log.warning("the test mail was not sent", error=repr(error))
        raise errors.unprocessable(f"The mail server did not take the mail: {type(error).__name__}.") from None
