import re
import shutil
from dataclasses import dataclass, replace
from email.message import EmailMessage
from pathlib import Path

import pytest

from mujina.adapters.mail import kept
from tests.harness.browsers import browser_of


@dataclass
class Inbox:
    """The mails that the instance kept."""

    data: Path

    def to(self, address: str) -> list[EmailMessage]:
        return [message for _, message in kept(self.data) if message["To"] == address]

    def link(self, address: str) -> str:
        """The path behind the link of the newest mail to the address."""
        text = self.to(address)[-1].get_body(("plain",)).get_content()
        return re.search(r"http://mujina\.test(/invites/\S+)", text)[1]


@pytest.fixture
def inbox(stage, cast):
    shutil.rmtree(stage.folder / "mails", ignore_errors=True)
    return Inbox(stage.folder)


@pytest.fixture
def sign_up(cast, client, database):
    """Make an account with this address, and return it with its browser."""

    def make(email, *, confirmed=True):
        username = email.partition("@")[0]
        made = cast.root.post(
            "/users", email=email, username=username, name=username.title(), password="a long password",
            skip_confirmation=confirmed,
        )  # fmt: skip
        assert made.status == 201, made
        person = replace(cast.stranger, name=username, id=made.json["id"], username=username)
        return person, browser_of(person, database, client)

    return make
