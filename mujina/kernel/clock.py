"""The one clock: times are ISO text in UTC with milliseconds, dates `YYYY-MM-DD`, so they sort and print as they stand."""

from datetime import UTC, datetime, timedelta
from functools import lru_cache
from time import time

_DAY = 86_400

NEVER = "9999-12-31"
"""An `expires_on` that does not come: comparisons need no NULL."""


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
    """How far off a stored instant is; negative once it has passed."""
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
