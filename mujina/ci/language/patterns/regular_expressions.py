"""Patterns between slashes, as `only`, `coverage` and expressions have them. They run on RE2, in linear time."""

import re
from typing import Any, Final

from mujina.kernel.text.patterns import BadPattern, compiled

__all__ = ["BadPattern", "compile_pattern", "is_pattern", "matches", "pattern_problem", "pattern_source"]

MAX_LENGTH: Final = 1_000
MAX_SEARCHED: Final = 10_000
"""Characters of a text in which a pattern is searched: thousands of rules may ask about the same long variable."""
_SLASHED = re.compile(r"/(.*)/([a-zA-Z]*)", re.DOTALL)
_FLAGS: Final = {"i": "i", "m": "s", "s": "s", "u": "", "U": "U"}
"""The flags after the second slash, as RE2 writes them."""


def is_pattern(text: str) -> bool:
    """Whether the text is written between slashes."""
    return len(text) > 1 and _SLASHED.fullmatch(text) is not None


def pattern_source(text: str) -> str:
    """The pattern without its slashes, its flags at its beginning."""
    found = _SLASHED.fullmatch(text)
    if found is None:
        raise BadPattern("it is not between slashes")
    source, flags = found[1].replace("\\/", "/"), found[2]
    unknown = [flag for flag in flags if flag not in _FLAGS]
    if unknown:
        raise BadPattern(f"unknown flag {unknown[0]}")
    letters = "".join(sorted({_FLAGS[flag] for flag in flags}))
    return f"(?{letters}){source}" if letters else source


def compile_pattern(text: str) -> Any:
    """The pattern between slashes, ready to search a text; `BadPattern` if RE2 refuses it."""
    if len(text) > MAX_LENGTH:
        raise BadPattern(f"it is longer than {MAX_LENGTH} characters")
    return compiled(pattern_source(text))


def pattern_problem(text: str) -> str | None:
    """Why the pattern cannot be used; None if it can."""
    try:
        compile_pattern(text)
    except BadPattern as bad:
        return str(bad)
    return None


def matches(pattern: str, text: str) -> bool:
    """Whether the pattern is found anywhere in the text; a bad pattern matches nothing."""
    try:
        return compile_pattern(pattern).search(text[:MAX_SEARCHED]) is not None
    except BadPattern:
        return False
