"""A push comes in up to four requests: whoever was let in with one is known for a moment, and not asked for again.

What they push is judged by what the database says then, whatever is remembered here.
"""

from collections.abc import Callable
from time import monotonic
from typing import Final, Generic, TypeVar

from mujina.git.access import FRESH_SECONDS
from mujina.kernel import secrets

MOST: Final = 1_000

Seen = TypeVar("Seen")


class Guests(Generic[Seen]):
    """By what they showed: their credential and where they wanted to go, of which only a digest is kept."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._seen: dict[str, tuple[float, Seen]] = {}
        """The last to come stands last."""

    def remember(self, *shown: str, seen: Seen) -> None:
        """They were let in just now."""
        ticket = _ticket(shown)
        self._seen.pop(ticket, None)
        self._seen[ticket] = self._clock() + FRESH_SECONDS, seen
        while len(self._seen) > MOST or next(iter(self._seen.values()))[0] <= self._clock():
            del self._seen[next(iter(self._seen))]

    def recognise(self, *shown: str) -> Seen | None:
        """What was seen of whoever showed the very same a moment ago."""
        until, seen = self._seen.get(_ticket(shown), (0.0, None))
        return seen if self._clock() < until else None


def _ticket(shown: tuple[str, ...]) -> str:
    return secrets.digest("\0".join(shown))
