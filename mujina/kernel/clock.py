"""The one clock: times are ISO text in UTC with milliseconds, dates `YYYY-MM-DD`, so they sort and print as they stand."""

import re
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from functools import lru_cache
from time import time

_DAY = 86_400

_ZONE = re.compile(r"\s+(?:UTC|GMT|(?P<offset>[+-]\d{2}:?\d{2}))$")
_WITHOUT_ZONE = re.compile(r"(?::\d{2}|\s\d{4})$")

NEVER = "9999-12-31"
"""An `expires_on` that never comes, so that comparisons need no NULL."""


def now() -> str:
    """This instant, as `2018-01-22T14:22:21.000Z`."""
    at = time()
    second = int(at)
    return f"{_to_the_second(second)}.{int((at - second) * 1000):03d}Z"


@lru_cache(2)
def _to_the_second(second: int) -> str:
    return datetime.fromtimestamp(second, UTC).isoformat()[:19]


def later(wait: timedelta) -> str:
    """The instant `wait` from now."""
    return iso(datetime.now(UTC) + wait)


def seconds(moment: str) -> int:
    """A stored instant in seconds since 1970."""
    return int(datetime.fromisoformat(moment).timestamp())


def seconds_until(moment: str) -> float:
    """Seconds until a stored instant; negative after it."""
    return (datetime.fromisoformat(moment) - datetime.now(UTC)).total_seconds()


def today() -> str:
    """This day in UTC, as `2018-01-22`."""
    return _day(int(time()) // _DAY)


@lru_cache(2)
def _day(number: int) -> str:
    return datetime.fromtimestamp(number * _DAY, UTC).date().isoformat()


def iso(moment: datetime) -> str:
    """An aware instant as the text that is stored and shown."""
    return moment.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"


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
        moment = datetime.fromisoformat(_ZONE.sub(lambda zone: zone["offset"] or "Z", text))
    except ValueError:
        moment = _spelled_out(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _spelled_out(text: str) -> datetime:
    """As HTTP and mail have it: `Mon, 22 Jan 2018 14:22:21 GMT`, `Mon Jan 22 14:22:21 2018`."""
    try:
        moment = parsedate_to_datetime(text)
    except OverflowError as error:
        raise ValueError(text) from error
    if moment.tzinfo is None and not _WITHOUT_ZONE.search(text):
        raise ValueError(f"the zone of {text} is not known")
    return moment
