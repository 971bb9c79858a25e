"""Users as a directory describes them, and what an account is made of."""

import re
from unicodedata import combining, normalize

import msgspec

from mujina.directory_settings import Directory
from mujina.kernel.text import distinguished_names
from mujina.kernel.text.distinguished_names import InvalidName

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
    uuid: str | None = None
    """The directory's own id of the entry, which outlasts its name."""


def has_other_id(person: Person, uuid: str | None) -> bool:
    """Whether the entry is another one than that of this id."""
    return bool(uuid and person.uuid and uuid != person.uuid)


def is_same_entry(directory: Directory, person: Person, *, dn: str, uuid: str | None, username: str) -> bool:
    """Whether an entry with another name is that of a known user, who was renamed or moved in the directory.

    The address alone proves nothing: a person who may write it in the directory could take over any account.
    """
    if uuid and person.uuid:
        return uuid == person.uuid
    try:
        before, after = (sorted(distinguished_names.parse(name)[0]) for name in (dn, person.dn))
    except InvalidName:
        return False
    uid = person.uid.lower()
    return before == after or (bool(uid) and (uid == username.lower() or (directory.uid.lower(), uid) in before))


def username_of(value: str | None, email: str | None) -> str:
    """A username made of the attribute, or of the local part of the address; another user may have it."""
    text = value if value is not None else (email or "")
    text = "".join(letter for letter in normalize("NFKD", text.partition("@")[0]) if not combining(letter))
    text = _FORBIDDEN.sub("", text).lstrip("-")[:_MAX_LENGTH]
    while _ENDING.search(text):
        text = _ENDING.sub("", text)
    return text or "blank"
