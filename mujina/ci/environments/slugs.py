"""Slugs of environments: names that fit a label of a host name."""

import re
import secrets
from string import ascii_lowercase, digits
from typing import Final

MAX_LENGTH: Final = 24
_PREFIX_LENGTH: Final = 17
_SUFFIX_LENGTH: Final = 6
_OTHERS = re.compile(r"[^a-z0-9]+")


def new_slug(name: str) -> str:
    """A slug for the name: the name itself if it is one, else a similar text that ends with random characters."""
    similar = _OTHERS.sub("-", name.lower())
    if not similar[:1].isalpha():
        similar = f"env-{similar.lstrip('-')}"
    similar = similar[:MAX_LENGTH].rstrip("-")
    if similar == name:
        return name
    suffix = "".join(secrets.choice(ascii_lowercase + digits) for _ in range(_SUFFIX_LENGTH))
    return f"{similar[:_PREFIX_LENGTH].rstrip('-')}-{suffix}"
