"""The clock of the testing mode: it can be set, advanced and stopped."""

from time import time
from typing import Final

import msgspec

from mujina.kernel import clock

END: Final = 221_845_392_000
"""Seconds from the beginning of 1970 to that of the year 9000: what is scheduled after it has to have a date too."""


class ClockChange(msgspec.Struct, forbid_unknown_fields=True):
    """A change of the clock; what is not given stays as it is."""

    now: str | None = None
    """An instant such as `2030-01-31T12:00:00Z`."""
    advance: float = 0
    """Seconds to add."""
    frozen: bool | None = None
    """Whether the clock stands still."""


class ClockState(msgspec.Struct):
    now: str
    frozen: bool


class TestClock:
    """Tells the time of the instance; it runs as the system's clock does, from wherever it was set."""

    __test__ = False  # not a test of pytest's

    def __init__(self) -> None:
        self._ahead = 0.0
        self._stopped_at: float | None = None

    def change(self, wanted: ClockChange) -> None:
        """Set, advance, stop or start the clock; `ValueError` if the instant cannot be read, or lies before 1970 or after 9000."""
        at = self._timestamp()
        if wanted.now is not None:
            at = clock.seconds_of(clock.read_instant(wanted.now))
        at += wanted.advance
        if not 0 <= at < END:
            raise ValueError(at)
        frozen = self.frozen if wanted.frozen is None else wanted.frozen
        self._ahead, self._stopped_at = at - time(), at if frozen else None
        clock.follow(self._timestamp)

    def reset(self) -> None:
        """Tell the real time again."""
        self._ahead, self._stopped_at = 0.0, None
        clock.follow(None)

    @property
    def frozen(self) -> bool:
        return self._stopped_at is not None

    @property
    def state(self) -> ClockState:
        return ClockState(clock.now(), self.frozen)

    def _timestamp(self) -> float:
        return time() + self._ahead if self._stopped_at is None else self._stopped_at
