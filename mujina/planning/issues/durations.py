"""Time as people say it: a week has five days, a day eight hours, a month four weeks. Read and written the same way."""

import re

_MINUTE, _HOUR = 60, 3600
_DAY = 8 * _HOUR
_WEEK = 5 * _DAY
_MONTH = 4 * _WEEK
_YEAR = 12 * _MONTH
_SPELLED = (("mo", _MONTH), ("w", _WEEK), ("d", _DAY), ("h", _HOUR), ("m", _MINUTE), ("s", 1))

LONGEST = 10**12
"""Seconds; beyond any work, and far from the end of 64 bits."""

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
_PASSED_OVER = frozenset({"and", "with", "plus"})

_TOKEN = re.compile(
    r"""\s*(?: (?P<clock>\d{1,15}(?::\d{1,15}){1,2})
             | (?P<number>\d{1,15}(?:\.\d{1,15})?|\.\d{1,15}) \s* (?P<unit>[a-z]*)
             | (?P<word>[a-z]+)
             | , )\s*""",
    re.VERBOSE,
)


def spell(seconds: int) -> str | None:
    """`5400` as `1h 30m`; nothing at all is null."""
    if seconds == 0:
        return None
    rest, parts = abs(seconds), list[str]()
    for unit, size in _SPELLED:
        count, rest = divmod(rest, size)
        if count:
            parts.append(f"{count}{unit}")
    return ("-" if seconds < 0 else "") + " ".join(parts)


def read(text: str) -> int | None:
    """`1h 30m` as 5400; None for what is no duration, or none at all.

    Numbers with units in any order add up; a number alone means hours, a unit alone at the beginning means one of it;
    `1:20` counts from the seconds; one leading minus negates the whole.
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
    return sign * seconds if 0 < seconds <= LONGEST else None


def _seconds(token: re.Match[str], *, first: bool) -> float | None:
    """What one token adds; None when it is not part of a duration."""
    if token["clock"]:
        return float(sum(int(part) * 60**place for place, part in enumerate(reversed(token["clock"].split(":")))))
    if token["number"]:
        unit = token["unit"]
        size = _HOUR if not unit or unit in _PASSED_OVER else _WORDS.get(unit)
        return None if size is None else float(token["number"]) * size
    word = token["word"]
    if word is None or word in _PASSED_OVER:
        return 0.0
    return float(_WORDS[word]) if first and word in _WORDS else None
