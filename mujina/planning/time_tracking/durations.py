"""Durations such as `1w 2d`, parsed and formatted: a week has five days, a day eight hours, a month four weeks."""

import re

from mujina.kernel.text.deferred_patterns import deferred_pattern

_MINUTE, _HOUR = 60, 3600
_DAY = 8 * _HOUR
_WEEK = 5 * _DAY
_MONTH = 4 * _WEEK
_YEAR = 12 * _MONTH
_UNITS = (("mo", _MONTH), ("w", _WEEK), ("d", _DAY), ("h", _HOUR), ("m", _MINUTE), ("s", 1))

MAX_SECONDS = 10**12
"""Far more than any real work, and far below 64 bits."""

_WORDS = {
    word: size
    for words, size in (
        ("y yr yrs year years", _YEAR),
        ("mo mos month months", _MONTH),
        ("w wk wks week weeks", _WEEK),
        ("d dy day days", _DAY),
        ("h hr hrs hour hours", _HOUR),
        ("m min mins minute minutes", _MINUTE),
        ("s sec secs second seconds", 1),
    )
    for word in words.split()
}
_IGNORED = frozenset({"and", "with", "plus"})

_TOKEN = deferred_pattern(
    r"""\s*(?: (?P<clock>\d{1,15}(?::\d{1,15}){1,2})
             | (?P<number>\d{1,15}(?:\.\d{1,15})?|\.\d{1,15}) \s* (?P<unit>[a-z]*)
             | (?P<word>[a-z]+)
             | , )\s*""",
    re.VERBOSE | re.ASCII,
)


def format_duration(seconds: int) -> str | None:
    """`5400` as `1h 30m`; None for 0."""
    if seconds == 0:
        return None
    remaining, parts = abs(seconds), list[str]()
    for unit, size in _UNITS:
        count, remaining = divmod(remaining, size)
        if count:
            parts.append(f"{count}{unit}")
    return ("-" if seconds < 0 else "") + " ".join(parts)


def parse_duration(text: str) -> int | None:
    """`1h 30m` as 5400; None for text that is no duration, and for 0.

    Numbers with units in any order are added; a number without a unit is hours, a unit alone at the start is one;
    the last part of `1:20` is seconds; a leading minus negates the total.
    """
    text = text.strip().lower()
    sign, text = (-1, text[1:]) if text.startswith("-") else (1, text)
    total, position = 0.0, 0
    while position < len(text):
        token = _TOKEN.match(text, position)
        part = None if token is None else _seconds(token, first=position == 0)
        if token is None or part is None:
            return None
        total += part
        position = token.end()
    seconds = int(total + 0.5)
    return sign * seconds if 0 < seconds <= MAX_SECONDS else None


def _seconds(token: re.Match[str], *, first: bool) -> float | None:
    """The time that one token adds; None if it cannot be part of a duration."""
    if token["clock"]:
        return float(sum(int(part) * 60**power for power, part in enumerate(reversed(token["clock"].split(":")))))
    if token["number"]:
        unit = token["unit"]
        size = _HOUR if not unit or unit in _IGNORED else _WORDS.get(unit)
        return None if size is None else float(token["number"]) * size
    word = token["word"]
    if word is None or word in _IGNORED:
        return 0.0
    return float(_WORDS[word]) if first and word in _WORDS else None
