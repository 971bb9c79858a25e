"""Users as a directory describes them, and what an account is made of."""

import re
from unicodedata import combining, normalize

import msgspec

_FORBIDDEN = re.compile(r"[^A-Za-z0-9_.-]")
_ENDING = re.compile(r"(?:\.git|\.atom|\.)$", re.IGNORECASE)
_MAX_LENGTH = 255
NO_MAIL_DOMAIN = "no-mail.invalid"
"""The domain of addresses that stand for none: nothing is ever sent to it."""


class Person(msgspec.Struct, frozen=True):
    """An entry of a directory that is a user."""

    dn: str
    """Normalized."""
    uid: str
    username: str
    email: str | None
    name: str
    keys: tuple[str, ...]
    disabled: bool
    groups: frozenset[str]
    """The normalized names of the groups below `group_base` of which the entry itself says that it is a member."""

    @property
    def account_email(self) -> str:
        return self.email or f"{self.username.lower()}@{NO_MAIL_DOMAIN}"


def username_of(value: str | None, email: str | None) -> str:
    """A username made of the attribute, or of the local part of the address; another user may have it."""
    text = value if value is not None else (email or "")
    text = "".join(letter for letter in normalize("NFKD", text.partition("@")[0]) if not combining(letter))
    text = _FORBIDDEN.sub("", text).lstrip("-")[:_MAX_LENGTH]
    while _ENDING.search(text):
        text = _ENDING.sub("", text)
    return text or "blank"
