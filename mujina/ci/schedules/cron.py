"""Cron expressions: minute, hour, day, month, day of the week; with names, lists, ranges and steps."""

from datetime import datetime, tzinfo
from typing import Final

from mujina.kernel import deferred_imports

MAX_LENGTH: Final = 255
FIELDS: Final = 5


def next_time(expression: str, zone: tzinfo, after: datetime) -> datetime | None:
    """The first time after this one; None if the expression is invalid or never comes true, as 31 February.

    A time that the clocks skip in spring comes when they have skipped; one that they repeat in autumn comes once. An
    expression that begins with `*` for the minute or the hour follows the hours as they pass.
    """
    cron = deferred_imports.cron()
    if len(expression) > MAX_LENGTH or len(expression.split()) != FIELDS:
        return None
    try:
        return next(cron.CronSim(expression, after.astimezone(zone)))
    except (cron.CronSimError, StopIteration, OverflowError):
        return None
