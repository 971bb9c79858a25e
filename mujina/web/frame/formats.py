"""How times, sizes and counts are written on pages."""

import shlex
from collections.abc import Iterable
from datetime import UTC, date, datetime
from functools import lru_cache
from urllib.parse import quote, urlsplit

from mujina.kernel import clock
from mujina.kernel.html.field_titles import field_key
from mujina.kernel.urls import reference_at
from mujina.planning.awards.emoji import characters
from mujina.rendering.html import Html, escape

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")

_STEPS = ((60, "minute", 3600), (3600, "hour", 86_400), (86_400, "day", 7 * 86_400), (7 * 86_400, "week", 30 * 86_400),
          (30 * 86_400, "month", 365 * 86_400), (365 * 86_400, "year", 10**12))  # fmt: skip
_SIZES = ("bytes", "KB", "MB", "GB", "TB")
TONES = ("#2f6f5e", "#7a4a2b", "#5b4b8a", "#8a3f55", "#2d5f8a", "#6b6420", "#4a6b35", "#7d3c7d")
"""The backgrounds of generated avatars: white text has a contrast of at least 5.9 on each."""


def ago(moment: str) -> str:
    """A stored instant in relation to now: `3 days ago`, `in 2 hours`."""
    return _ago(_utc(moment).timestamp())


def _ago(timestamp: float) -> str:
    seconds = clock.timestamp() - timestamp
    distance = abs(seconds)
    if distance < 60:
        return "just now"
    for step, unit, end in _STEPS:
        if distance < end:
            number = int(distance // step)
            words = f"{number} {unit}{'' if number == 1 else 's'}"
            return f"{words} ago" if seconds > 0 else f"in {words}"
    return datetime.fromtimestamp(timestamp, UTC).strftime("%Y-%m-%d")


def instant(moment: str) -> str:
    """A stored instant in full: `Jan 22, 2018 14:22 UTC`."""
    utc = _utc(moment)
    return f"{_written(utc)} {utc.hour:02}:{utc.minute:02} UTC"


def time(moment: str) -> Html:
    """A stored instant as an element: in relation to now, and in full when the mouse is over it."""
    start, timestamp = _started(moment)
    return Html(f"{start}{_ago(timestamp)}</time>")


@lru_cache(4096)
def _started(moment: str) -> tuple[str, float]:
    """The element up to its words, which change from minute to minute, and the instant as a number."""
    return f'<time datetime="{escape(moment)}" title="{instant(moment)}">', _utc(moment).timestamp()


def _written(date: date) -> str:
    # `strftime` takes four times as long, and a list shows many dates.
    return f"{_MONTHS[date.month - 1]} {date.day}, {date.year:04}"


def _utc(moment: str) -> datetime:
    """A stored instant, or one of git with an offset."""
    parsed = datetime.fromisoformat(moment)
    return parsed.replace(tzinfo=UTC) if parsed.tzinfo is None else parsed.astimezone(UTC)


def day(date: str) -> str:
    """A stored date or the day of an instant: `Jan 22, 2018`."""
    return _written(datetime.fromisoformat(date[:10]))


def size(number: int) -> str:
    """A number of bytes: `3.2 MB`."""
    amount, unit = float(number), 0
    while amount >= 1024 and unit < len(_SIZES) - 1:
        amount, unit = amount / 1024, unit + 1
    return f"{number} {'byte' if number == 1 else 'bytes'}" if unit == 0 else f"{amount:.1f} {_SIZES[unit]}"


def count(number: int) -> str:
    """A number with separators: `12,345`."""
    return f"{number:,}"


def capped(number: int) -> str:
    """A number of the top bar: `99+` from a hundred on."""
    return "99+" if number > 99 else str(number)


def plural(number: int, one: str, many: str = "") -> str:
    """`1 issue`, `2 issues`."""
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"


def initials(name: str) -> str:
    """Up to two letters for a generated avatar."""
    words = [word for word in name.replace("-", " ").replace("_", " ").split() if word[0].isalnum()]
    return "".join(word[0] for word in [*words[:1], *words[1:][-1:]]).upper() or "?"


def tone(number: int) -> str:
    """The background of the generated avatar of this id."""
    return TONES[number % len(TONES)]


@lru_cache(4096)
def url_path(path: str) -> str:
    """A path or a part of one as addresses spell it: `a b/ü` → `a%20b/%C3%BC`."""
    return quote(path, safe="/-._~!$&'()*+,;=:@")


@lru_cache(4096)
def query_value(text: str) -> str:
    """A value in the query of an address: `a b&c` → `a%20b%26c`."""
    return quote(text)


@lru_cache(4096)
def local(address: str | None) -> str:
    """The path of an address of this instance: our content security policy allows pictures of this site only, by the
    name that the browser uses for it. Empty for none.
    """
    return urlsplit(address or "").path


def field_id(name: str) -> str:
    """The id of the field of this name: `issue[title]` → `issue_title`."""
    return name.replace("[", "_").replace("]", "")


def options(values: Iterable[str | int]) -> Html:
    """The suggestions of a field, as elements of its `datalist`; several fields of a page share them."""
    return _options(tuple(map(str, values)))


@lru_cache(256)
def _options(values: tuple[str, ...]) -> Html:
    return Html("".join([f'<option value="{escape(value)}"></option>' for value in values]))


def emoji(name: str) -> str:
    """The character of a reaction; its name if it has none."""
    return characters().get(name, f":{name}:")


FILTERS = {
    "ago": ago, "instant": instant, "time": time, "day": day, "size": size, "count": count, "capped": capped, "plural": plural,
    "initials": initials, "tone": tone, "url_path": url_path, "urlencode": query_value,
    "local": local, "shell": shlex.quote, "field_id": field_id, "field_key": field_key, "options": options,
    "reference_at": reference_at, "emoji": emoji,
}  # fmt: skip
