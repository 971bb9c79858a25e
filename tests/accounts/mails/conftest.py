import re
import shutil
from dataclasses import dataclass
from email.message import EmailMessage
from pathlib import Path

import pytest

from mujina.adapters.mail import kept
from tests.accounts.sessions.conftest import PASSWORD, hashed, known, signed_in, visitor

__all__ = ["PASSWORD", "hashed", "known", "signed_in", "visitor"]


@dataclass
class Box:
    """The mails an instance kept."""

    data: Path

    @property
    def mails(self) -> list[EmailMessage]:
        return [message for _, message in kept(self.data)]

    def to(self, address: str) -> list[str]:
        """The subjects of the mails to an address, in order."""
        return [message["Subject"] for message in self.mails if message["To"] == address]

    def link(self) -> str:
        """The path behind the link of the newest mail."""
        return link(self.mails[-1])


def link(message: EmailMessage) -> str:
    return re.search(r"http://mujina\.test(/users\S+)", message.get_body(("plain",)).get_content())[1]


@pytest.fixture
def box(stage, known):
    shutil.rmtree(stage.folder / "mails", ignore_errors=True)
    return Box(stage.folder)
