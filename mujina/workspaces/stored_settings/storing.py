"""The column of the settings that are stored and have no meaning here: JSON, or null while none is set."""

from collections.abc import Collection
from typing import Any

import msgspec
from msgspec import UNSET

from mujina.kernel import errors
from mujina.kernel.http.params import Params

MAX_BYTES = 64 * 1024
"""The bytes of all stored settings of an object: lists read them with each row."""


def read_settings(stored: str | None) -> dict[str, Any]:
    """The settings that a user has set, by name."""
    return msgspec.json.decode(stored, type=dict[str, Any]) if stored else {}


def is_given(change: Params, names: Collection[str]) -> bool:
    """Whether the change contains one of these settings."""
    return any(getattr(change, name) is not UNSET for name in names)


def merged(stored: str | None, change: Params, names: Collection[str]) -> str:
    """The settings as they are stored after the change; those that it does not contain stay as they are."""
    given = {name: value for name in names if (value := getattr(change, name)) is not UNSET}
    spelled = msgspec.json.encode(read_settings(stored) | given)
    if len(spelled) > MAX_BYTES:
        raise errors.unacceptable(f"{max(given, key=lambda name: len(str(given[name])))} is too long")
    return spelled.decode()
