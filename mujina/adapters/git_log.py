"""Histories as git itself walks them: of a path, of a span of time, and how long they are.

Every answer is kept: the history of a commit never changes, and whoever pushes makes another commit the tip.
"""

import asyncio
import math
from collections.abc import Awaitable, Callable
from datetime import datetime
from pathlib import Path
from typing import Final, Generic, TypeVar

import msgspec

from mujina.adapters import git

Answer = TypeVar("Answer")

MAX_CACHED: Final = 4_096
TIMEOUT_SECONDS: Final = 600


class History(msgspec.Struct, frozen=True):
    """The commits that `tip` leads to, newest first: those that touched the path, within the bounds, and say the words."""

    place: Path
    tip: str
    path: str = ""
    since: str = ""
    until: str = ""
    words: str = ""

    @property
    def whole(self) -> bool:
        return not (self.path or self.since or self.until or self.words)

    async def walked(self, *options: str) -> str:
        """What `git rev-list` says of it."""
        bounds = [f"--max-age={math.ceil(_seconds(self.since))}"] if self.since else []
        bounds += [f"--min-age={math.floor(_seconds(self.until))}"] if self.until else []
        bounds += [f"--grep={self.words}", "--fixed-strings", "--regexp-ignore-case"] if self.words else []
        named = [self.tip, "--", *([self.path] if self.path else [])]
        said = await git.run(self.place, "rev-list", *options, *bounds, named=named, seconds=TIMEOUT_SECONDS)
        return said.decode()


class HistoryCache(Generic[Answer]):
    """Asks each thing once, however many want to know it at a time, and forgets the oldest answers first."""

    def __init__(self, ask: Callable[[History], Awaitable[Answer]]) -> None:
        self._ask = ask
        self._answers: dict[History, asyncio.Future[Answer]] = {}

    async def __call__(self, history: History) -> Answer:
        answer = self._answers.get(history)
        if answer is None:
            answer = self._answers[history] = asyncio.ensure_future(self._ask(history))
            answer.add_done_callback(lambda done: self._forget_failed(history, done))
            if len(self._answers) > MAX_CACHED:
                del self._answers[next(iter(self._answers))]
        return await asyncio.shield(answer)  # whoever asked first may go away: others wait for the same answer

    def _forget_failed(self, history: History, done: "asyncio.Future[Answer]") -> None:
        if (done.cancelled() or done.exception()) and self._answers.get(history) is done:
            del self._answers[history]


async def ids(history: History, offset: int, limit: int) -> list[str]:
    """One page of it."""
    return (await history.walked(f"--skip={offset}", f"--max-count={limit}")).split()


async def _count(history: History) -> int:
    bitmaps = ["--use-bitmap-index"] if history.whole else []
    return int(await history.walked("--count", *bitmaps))


async def _latest(history: History) -> str | None:
    return (await history.walked("--max-count=1")).strip() or None


count = HistoryCache(_count)
"""How many commits it has."""
latest = HistoryCache(_latest)
"""Its newest commit."""


def _seconds(moment: str) -> float:
    """Since 1970: for git time begins then."""
    return max(0.0, datetime.fromisoformat(moment).timestamp())
