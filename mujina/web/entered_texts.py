"""The texts of a form that cannot be shown again: the page that says so repeats them, so that they are not lost."""

from collections.abc import Iterator
from typing import Any, cast

from falcon.asgi import Request

from mujina.kernel.errors import ApiError
from mujina.kernel.http.forms import Tree
from mujina.kernel.http.paging import SECRETS

MIN_LENGTH = 20
"""Characters of a text that is worth keeping; shorter ones are chosen, not written."""
_NEVER = ("password", "token", "secret", "otp", "code")
"""Parts of the names of fields that no page repeats."""


def entered_texts(request: Request) -> list[tuple[str, str]]:
    """The names and values of the long fields of the form that was sent; none for other requests."""
    sent: tuple[Tree, ApiError | None] = getattr(request.context, "form", ({}, None))
    return [
        (name.replace("_", " ").capitalize(), text)
        for name, text in _texts("", sent[0])
        if name not in SECRETS and not any(part in name for part in _NEVER)
    ]


def _texts(name: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        if len(value) >= MIN_LENGTH or "\n" in value:
            yield name, value
    elif isinstance(value, dict):
        for key, each in cast("Tree", value).items():
            yield from _texts(key, each)
    elif isinstance(value, list):
        for each in cast("list[Any]", value):
            yield from _texts(name, each)
