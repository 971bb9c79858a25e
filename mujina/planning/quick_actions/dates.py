"""Parses dates: `2018-3-1`, `3/1/2018`, `tomorrow at 5pm`, `in 2 weeks`, `next friday`, `March 1`, `1 March 2019`."""

import calendar
import re
from datetime import date, timedelta

from mujina.kernel.text.deferred_patterns import deferred_pattern

_KEYWORDS = {"today": 0, "tomorrow": 1}
_TIME = deferred_pattern(
    r",? (?:at (?:\d{1,2}(?::\d{2}){0,2} ?(?:am|pm)?|noon|midnight)|\d{1,2}(?::\d{2}){1,2} ?(?:am|pm)?|\d{1,2} ?(?:am|pm))$"
)
"""A time of day, which is ignored."""
_YEAR_FIRST = deferred_pattern(r"(\d{4})([-/.])(\d{1,2})\2(\d{1,2})")
_YEAR_LAST = deferred_pattern(r"(\d{1,2})([-/.])(\d{1,2})\2(\d{4})")
_RELATIVE = deferred_pattern(r"(?:in )?(?P<count>\d{1,4}|an?) (?P<unit>day|week|month|year)s?(?: from now)?")
_NEXT = deferred_pattern(r"(?:next |this |on )?(?P<what>[a-z]+)")
_NAMED = deferred_pattern(
    r"(?:(?P<month>[a-z]+)\.? (?P<day>\d{1,2})|(?P<day2>\d{1,2}) (?:of )?(?P<month2>[a-z]+)\.?)(?:,? (?P<year>\d{4}))?"
)
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
)  # fmt: skip


def parse_date(text: str, today: date) -> date | None:
    """The date; None for text that is no date."""
    words = " ".join(re.sub(r"(\d)(?:st|nd|rd|th)\b", r"\1", text.lower()[:50]).split())
    words = _TIME.sub("", words)
    try:
        return _exact(words, today) or _relative(words, today) or _named(words, today) or _next(words, today)
    except (ValueError, OverflowError):
        return None


def _exact(words: str, today: date) -> date | None:
    if words in _KEYWORDS:
        return today + timedelta(days=_KEYWORDS[words])
    if found := _YEAR_FIRST.fullmatch(words):
        return date(int(found[1]), int(found[3]), int(found[4]))
    if found := _YEAR_LAST.fullmatch(words):
        # As in the United States the month comes first, unless it cannot be a month.
        month, day = int(found[1]), int(found[3])
        return date(int(found[4]), *((month, day) if month <= 12 else (day, month)))
    return None


def _relative(words: str, today: date) -> date | None:
    found = _RELATIVE.fullmatch(words)
    if found is None:
        return None
    count = 1 if found["count"].startswith("a") else int(found["count"])
    match found["unit"]:
        case "day":
            return today + timedelta(days=count)
        case "week":
            return today + timedelta(weeks=count)
        case unit:
            return _months_later(today, count * (12 if unit == "year" else 1))


def _months_later(today: date, count: int) -> date:
    """Returns this day of a later month, or the last day of that month."""
    years, month = divmod(today.month - 1 + count, 12)
    last = calendar.monthrange(today.year + years, month + 1)[1]
    return date(today.year + years, month + 1, min(today.day, last))


def _named(words: str, today: date) -> date | None:
    """A day of a month; without a year, the next such day."""
    found = _NAMED.fullmatch(words)
    month = _number(found["month"] or found["month2"], _MONTHS) if found else None
    if found is None or month is None:
        return None
    month, day = month + 1, int(found["day"] or found["day2"])
    if found["year"]:
        return date(int(found["year"]), month, day)
    this_year = date(today.year, month, day)
    return this_year if this_year >= today else date(today.year + 1, month, day)


def _next(words: str, today: date) -> date | None:
    found = _NEXT.fullmatch(words)
    if found is None:
        return None
    if words == "next week":
        return today + timedelta(weeks=1)
    if words == "next month":
        return _months_later(today, 1)
    day = _number(found["what"], _DAYS)
    return None if day is None else today + timedelta(days=(day - today.weekday() - 1) % 7 + 1)


def _number(word: str, names: tuple[str, ...]) -> int | None:
    """The index of the name, written out or by its first three letters."""
    return next((n for n, name in enumerate(names) if word in (name, name[:3])), None)
