"""Sends mail by SMTP; without a configured server it is stored in the data folder, for `mujina mail` to show."""

import asyncio
from collections.abc import Iterator
from email import policy
from email.message import EmailMessage
from email.parser import BytesParser
from pathlib import Path
from urllib.parse import unquote, urlsplit
from uuid import uuid4

from mujina.kernel import clock, deferred_imports
from mujina.settings import Settings

TIMEOUT_SECONDS = 30.0
FOLDER = "mails"


async def send(settings: Settings, message: EmailMessage) -> None:
    """Send or store the mail; an error if neither succeeds."""
    if settings.smtp_url is None:
        await asyncio.to_thread(_keep, settings.data / FOLDER, message)
        return
    server = urlsplit(settings.smtp_url)
    user = unquote(server.username) if server.username else None
    await deferred_imports.aiosmtplib().send(
        message,
        hostname=server.hostname or "localhost",
        port=server.port,
        username=user,
        password=unquote(server.password) if server.password else None,
        use_tls=server.scheme == "smtps",
        # A password requires TLS; without a password TLS is used if the server supports it.
        start_tls=None if server.scheme == "smtps" or user is None else True,
        timeout=TIMEOUT_SECONDS,
    )


def kept(data: Path) -> Iterator[tuple[str, EmailMessage]]:
    """The mails in the data folder with their names, oldest first."""
    for path in sorted((data / FOLDER).glob("*.eml")):
        with path.open("rb") as file:
            yield path.stem, BytesParser(EmailMessage, policy=policy.default).parse(file)


def _keep(folder: Path, message: EmailMessage) -> None:
    """Written atomically, readable by its owner only."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    name = clock.now().replace(":", "").replace("-", "").replace(".", "") + "-" + uuid4().hex[:8]
    draft = folder / f".{name}"
    draft.touch(mode=0o600)
    draft.write_bytes(message.as_bytes(policy=policy.SMTPUTF8))
    draft.rename(folder / f"{name}.eml")
