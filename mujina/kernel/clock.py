"""The one clock: times are ISO text in UTC with milliseconds, dates `YYYY-MM-DD`, so they sort and print as they stand.

It follows the clock of the system and never runs backwards: if that is set back, ours runs at half speed until it agrees
again. So no time of a row precedes an earlier one, and jobs do not wait for the clock to catch up.
"""

import re
from collections.abc import Callable, Generator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from functools import lru_cache
from time import monotonic, time

_ZONE = re.compile(r"\s+(?:UTC|GMT|(?P<offset>[+-]\d{2}:?\d{2}))$")
_DAY = re.compile(r"(?P<year>\d{4})(?P<mark>[-/])(?P<month>\d{1,2})(?P=mark)(?P<day>\d{1,2})(?!\d)")
_DASHED = re.compile(r"\b(\d{1,2}|\d{4})-([A-Za-z]+)-(\d{1,4})\b")
_WITHOUT_ZONE = re.compile(r"(?::\d{2}|\s\d{4})$")

NEVER = "9999-12-31"
"""An `expires_on` that never comes, so that comparisons need no NULL."""


_latest, _measured = time(), monotonic()
"""The last time we told, in seconds since 1970, and when that was."""


_source: Callable[[], float] | None = None
"""Tells the time in the place of the system's clock; only the testing mode and seeds have one."""


def timestamp() -> float:
    """This instant in seconds since 1970."""
    global _latest, _measured
    if _source is not None:
        return _source()
    at = monotonic()
    _latest, _measured = max(time(), _latest + (at - _measured) / 2), at
    return _latest


def catch_up(moment: str) -> None:
    """Be not earlier than a stored instant, such as one from before a restart with a clock that was set back."""
    global _latest  # noqa: PLW0603 - there is one clock
    _latest = max(timestamp(), seconds_of(moment))


def follow(source: Callable[[], float] | None) -> None:
    """Tell the time of this source, even if it goes back; None: that of the system again."""
    global _source, _latest
    _source, _latest = source, time()


@contextmanager
def set_back() -> Generator[Callable[[timedelta], None]]:
    """While the block runs, its function sets the clock back by a time; afterward it tells the time as before."""
    global _source  # noqa: PLW0603 - there is one clock
    before, behind = _source, 0.0

    def go_back(by: timedelta) -> None:
        nonlocal behind
        behind = by.total_seconds()

    _source = lambda: (before or time)() - behind  # noqa: E731
    try:
        yield go_back
    finally:
        _source = before


def _now() -> datetime:
    return datetime.fromtimestamp(timestamp(), UTC)


def now() -> str:
    """This instant, as `2018-01-22T14:22:21.000Z`."""
    at = timestamp()
    second = int(at)
    return f"{_to_the_second(second)}.{int((at - second) * 1000):03d}Z"


@lru_cache(2)
def _to_the_second(second: int) -> str:
    return datetime.fromtimestamp(second, UTC).isoformat()[:19]


def later(wait: timedelta) -> str:
    """The instant `wait` from now."""
    return iso(_now() + wait)


def seconds(moment: str) -> int:
    """A stored instant in seconds since 1970."""
    return int(seconds_of(moment))


def seconds_of(moment: str) -> float:
    """A stored instant in seconds since 1970, with its milliseconds."""
    return datetime.fromisoformat(moment).timestamp()


def from_seconds(at: float) -> str:
    """Seconds since 1970 as a stored instant."""
    return iso(datetime.fromtimestamp(at, UTC))


def seconds_until(moment: str) -> float:
    """Seconds until a stored instant; negative after it."""
    return (datetime.fromisoformat(moment) - _now()).total_seconds()


def today() -> str:
    """This day in UTC, as `2018-01-22`."""
    return now()[:10]


def iso(moment: datetime) -> str:
    """An aware instant as the text that is stored and shown."""
    return moment.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"


def spelled(moment: str) -> str:
    """A stored instant as `2017-10-31 14:25:55 UTC`."""
    return f"{moment[:10]} {moment[11:19]} UTC"


def read_instant(text: str) -> str:
    """An instant or a date in any common format, as it is stored; `ValueError` for anything else."""
    try:
        return iso(_moment(text))
    except OverflowError as error:
        raise ValueError(text) from error


def read_day(text: str) -> str:
    """The date in the text, without conversion between time zones, as it is stored; `ValueError` if there is none."""
    return _moment(text).date().isoformat()


def _moment(text: str) -> datetime:
    """UTC unless the text names a zone."""
    try:
        # Ruby sets the zone apart: `2018-01-22 14:22:21 UTC`, `2018-01-22 14:22:21 +0100`.
        spelled = _ZONE.sub(lambda zone: zone["offset"] or "Z", text)
        # Programs that compute with days do not pad them: `2018-1-22`, `2018/1/22`.
        if day := _DAY.match(spelled):
            spelled = f"{day['year']}-{day['month']:0>2}-{day['day']:0>2}{spelled[day.end() :]}"
        moment = datetime.fromisoformat(spelled)
    except ValueError:
        moment = _spelled_out(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _spelled_out(text: str) -> datetime:
    """The month by its name: `Mon, 22 Jan 2018 14:22:21 GMT`, `Mon Jan 22 14:22:21 2018`, `January 22, 2018`, `2018-Jan-22`."""
    spelled = _DASHED.sub(lambda day: " ".join(day.groups() if len(day[1]) < len("2018") else day.groups()[::-1]), text)
    if ":" not in spelled:  # the library reads no day without a time
        spelled += " 00:00:00"
    try:
        moment = parsedate_to_datetime(spelled)
    except OverflowError as error:
        raise ValueError(text) from error
    if moment.tzinfo is None and not _WITHOUT_ZONE.search(spelled):
        raise ValueError(f"the zone of {text} is not known")
    return moment
