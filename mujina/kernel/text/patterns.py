"""Patterns written by users, matched in linear time."""

from functools import lru_cache
from typing import Any

from mujina.kernel import deferred_imports
from mujina.kernel.errors import Problems

MAX_LENGTH = 511
MAX_MEMORY = 4 * 1024 * 1024


class BadPattern(Exception):
    """A pattern that cannot be compiled; the message says why."""


@lru_cache(maxsize=512)
def compiled(pattern: str) -> Any:
    """The pattern, ready to `search` a text."""
    re2: Any = deferred_imports.re2()
    options = re2.Options()
    options.log_errors = False
    options.max_mem = MAX_MEMORY
    try:
        return re2.compile(pattern, options)
    except re2.error as error:
        reason = error.args[0] if error.args else ""
        raise BadPattern(reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)) from None


def check_pattern(problems: Problems, name: str, pattern: str) -> None:
    """Add a problem under `name` if the pattern cannot be compiled."""
    problems.limit(name, pattern, MAX_LENGTH)
    try:
        compiled(pattern)
    except BadPattern as bad:
        problems.add(name, f"is not a valid pattern: {bad}")


def occurs(pattern: str, text: str) -> bool:
    """Whether the pattern is found anywhere in the text."""
    return compiled(pattern).search(text) is not None
