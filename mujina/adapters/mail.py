"""Sends mail by SMTP; without a configured server it is stored in the data folder, for `mujina mail` to show."""

import asyncio
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from email import policy
from email.message import EmailMessage
from email.parser import BytesParser
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit
from uuid import uuid4

from mujina.kernel import deferred_imports
from mujina.kernel.storage.fsync import fsync_folders, fsync_path
from mujina.settings import Settings

if TYPE_CHECKING:
    from aiosmtplib import SMTP

TIMEOUT_SECONDS = 30.0
FOLDER = "mails"
STORED = "file:mails"
"""The `smtp_url` of the testing mode: mail is stored as without a server, that of events too."""
PERMANENT = 500
"""Replies from here on: the server will not take the mail later either."""


class RejectedMail(Exception):
    """The server will never take this mail for this recipient."""


class PostponedMail(Exception):
    """The server does not take this mail now."""


async def send(settings: Settings, message: EmailMessage) -> None:
    """Send or store the mail; errors as those of `Connection.send` if neither succeeds."""
    async with connected(settings) as connection:
        await connection.send(message)


class Connection:
    """A connection to the mail server, for several mails."""

    def __init__(self, client: "SMTP") -> None:
        self._client = client

    async def send(self, message: EmailMessage, recipient: str | None = None) -> None:
        """The server has taken the mail; `RejectedMail`, `PostponedMail`, or an error of the connection.

        Without a `recipient`, it goes to the one whom its header names.
        """
        smtp = deferred_imports.aiosmtplib()
        try:
            await self._client.send_message(message, recipients=[recipient] if recipient else None)
        except smtp.SMTPRecipientsRefused as error:
            raise _refusal(error.recipients[0].code, str(error)) from error
        except smtp.SMTPNotSupported as error:
            # The address is not ASCII, and the server cannot handle others.
            raise RejectedMail(str(error)) from error
        except smtp.SMTPDataError as error:
            raise _refusal(error.code, str(error)) from error
        except smtp.SMTPSenderRefused as error:
            # Whatever the code: the sender is ours, and the operator may change it.
            raise PostponedMail(str(error)) from error


class _Storing(Connection):
    """Stores mail as if a server had taken it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def send(self, message: EmailMessage, recipient: str | None = None) -> None:  # noqa: ARG002 - it is in the header
        await asyncio.to_thread(_keep, self._folder, message)


@asynccontextmanager
async def connected(settings: Settings) -> AsyncGenerator[Connection]:
    """A connection to the configured server, closed at the end; without a server, to the data folder."""
    if settings.smtp_url in (None, STORED):
        yield _Storing(settings.data / FOLDER)
        return
    async with deferred_imports.aiosmtplib().SMTP(**_options(settings.smtp_url)) as client:
        yield Connection(client)


def _refusal(code: int, message: str) -> Exception:
    return RejectedMail(message) if code >= PERMANENT else PostponedMail(message)


def _options(url: str) -> dict[str, Any]:
    server = urlsplit(url)
    user = unquote(server.username) if server.username else None
    return {
        "hostname": server.hostname or "localhost",
        "port": server.port,
        "username": user,
        "password": unquote(server.password) if server.password else None,
        "use_tls": server.scheme == "smtps",
        # A password requires TLS; without a password TLS is used if the server supports it.
        "start_tls": None if server.scheme == "smtps" or user is None else True,
        "timeout": TIMEOUT_SECONDS,
    }


def kept(data: Path) -> Iterator[tuple[str, EmailMessage]]:
    """The mails in the data folder with their names, oldest first."""
    for path in sorted((data / FOLDER).glob("*.eml")):
        with path.open("rb") as file:
            yield path.stem, BytesParser(EmailMessage, policy=policy.default).parse(file)


def _keep(folder: Path, message: EmailMessage) -> None:
    """Written atomically and durably, readable by its owner only."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    # By the time of the machine: names keep the order of mails where a test stops or sets back the clock.
    name = f"{datetime.now(UTC):%Y%m%dT%H%M%S%f}-{uuid4().hex[:8]}"
    draft = folder / f".{name}"
    draft.touch(mode=0o600)
    draft.write_bytes(message.as_bytes(policy=policy.SMTPUTF8))
    fsync_path(draft)
    draft.rename(folder / f"{name}.eml")
    fsync_folders([folder, folder.parent])
