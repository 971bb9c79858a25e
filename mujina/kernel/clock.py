"""The one clock: times are ISO text in UTC with milliseconds, dates `YYYY-MM-DD`, so they sort and print as they stand."""

from datetime import UTC, datetime

NEVER = "9999-12-31"
"""An `expires_on` that does not come: comparisons need no NULL."""


def now() -> str:
    """This instant, as `2018-01-22T14:22:21.000Z`."""
    return iso(datetime.now(UTC))


def today() -> str:
    """This day in UTC, as `2018-01-22`."""
    return datetime.now(UTC).date().isoformat()


def iso(moment: datetime) -> str:
    """An aware instant as the text that is stored and shown."""
    return moment.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"
