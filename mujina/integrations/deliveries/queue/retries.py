"""When a delivery is tried again, and when a hook that keeps failing is paused."""

from datetime import timedelta
from random import uniform
from typing import Final

from mujina.integrations.hooks.rules import MAX_FAILURES
from mujina.kernel import clock

RETRY_DELAYS: Final = (
    timedelta(seconds=10),
    timedelta(minutes=1),
    timedelta(minutes=5),
    timedelta(minutes=30),
    *(timedelta(hours=1),) * 24,
)
"""The delays between the attempts of a delivery whose receiver cannot be reached: for about a day."""

FIRST_PAUSE: Final = timedelta(minutes=1)
MAX_PAUSE: Final = timedelta(days=1)
FAILURES_TO_PAUSE: Final = 4
"""The number of consecutive failures that pause the hook; each further one doubles the pause."""


def retry_at(attempts: int) -> str | None:
    """When the next attempt is due after this many, with jitter; None after the last."""
    if attempts > len(RETRY_DELAYS):
        return None
    return clock.later(RETRY_DELAYS[attempts - 1] * uniform(0.8, 1.2))  # noqa: S311 - no secret


def paused_until(failures: int) -> str | None:
    """The end of the pause after this many failures in a row; None if there is none.

    A disabled hook has no end of its pause: the latest time stands for it.
    """
    if failures >= MAX_FAILURES:
        return clock.NEVER
    if failures < FAILURES_TO_PAUSE:
        return None
    return clock.later(min(FIRST_PAUSE * 2 ** min(failures - FAILURES_TO_PAUSE, 20), MAX_PAUSE))
