"""What generic packages and their files may be called."""

import re
from typing import Final

from mujina.kernel import errors
from mujina.publishing.packages.uploads import MAX_NAME

_NAME: Final = re.compile(r"[A-Za-z0-9._+-]+")
_FILE: Final = re.compile(r"(?:[A-Za-z0-9._+~@-]+/)*[A-Za-z0-9._+~@-]+")


def check_names(name: str, version: str, file_name: str) -> None:
    """400 for a name that could not be a part of every address and of every file system."""
    for field, text, pattern in (
        ("package_name", name, _NAME),
        ("package_version", version, _NAME),
        ("file_name", file_name, _FILE),
    ):
        dots = any(part in (".", "..") for part in text.split("/"))
        if not pattern.fullmatch(text) or dots or len(text) > MAX_NAME:
            raise errors.unacceptable(f"{field} is invalid")


def check_spelling(path: str) -> None:
    """400 for an address that encodes a slash within a part: folders are parts of their own."""
    if "%2f" in path.partition("/packages/generic/")[2].lower():
        raise errors.unacceptable("file_name is invalid")
