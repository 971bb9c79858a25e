"""Histories that git walks: of a path, of a period, and their lengths.

Results are cached: the history of a commit never changes, and a push makes another commit the tip. Only the histories of
all branches and tags together are read anew.
"""

import asyncio
import math
from collections.abc import Awaitable, Callable
from contextlib import aclosing, suppress
from datetime import datetime
from pathlib import Path
from typing import Final, Generic, TypeVar

import msgspec

from mujina.adapters.git import git
from mujina.adapters.git.objects import opened
from mujina.adapters.git.reading import trees
from mujina.adapters.git.reading.counting import ahead_of

Result = TypeVar("Result")

MAX_CACHED: Final = 4_096
TIMEOUT_SECONDS: Final = 600
MAX_WALK_SECONDS: Final = 20
"""Entries whose newest commit was not found by then have none."""
RANGE: Final = ".."
ALL_REFS: Final = ""
"""Stands for the tips of every branch and tag."""


class History(msgspec.Struct, frozen=True):
    """The commits reachable from `tip` or `ALL_REFS`, newest first, that touch the path, lie in the period and contain the words.

    A tip `A..B` of two ids is reachable from `B` and not from `A`.
    """

    repo_path: Path
    tip: str
    path: str = ""
    since: str = ""
    until: str = ""
    words: str = ""
    base: str = ""
    """A commit whose own history `count_since` leaves out."""
    author: str = ""
    """A part of the name or address of the author."""
    first_parent: bool = False
    topological: bool = False

    @property
    def whole(self) -> bool:
        """Whether it has every commit of one tip, in the usual order."""
        filtered = self.path or self.since or self.until or self.words or self.author
        return not (filtered or self.first_parent or self.topological or RANGE in self.tip)

    async def rev_list(self, *options: str) -> str:
        """The output of `git rev-list`."""
        bounds = [f"--max-age={math.ceil(_seconds(self.since))}"] if self.since else []
        bounds += [f"--min-age={math.floor(_seconds(self.until))}"] if self.until else []
        bounds += [f"--grep={self.words}", "--fixed-strings", "--regexp-ignore-case"] if self.words else []
        bounds += [f"--author={self.author}", "--fixed-strings", "--regexp-ignore-case"] if self.author else []
        bounds += ["--first-parent"] if self.first_parent else []
        bounds += ["--topo-order"] if self.topological else []
        bounds += [] if self.tip else ["--branches", "--tags"]
        named = [*([self.tip] if self.tip else []), "--", *([self.path] if self.path else [])]
        output = await git.run(self.repo_path, "rev-list", *options, *bounds, named=named, seconds=TIMEOUT_SECONDS)
        return output.decode()


class HistoryCache(Generic[Result]):
    """Computes each result once, also for concurrent callers, and evicts the oldest results first."""

    def __init__(self, compute: Callable[[History], Awaitable[Result]]) -> None:
        self._compute = compute
        self._results: dict[History, asyncio.Future[Result]] = {}

    async def __call__(self, history: History) -> Result:
        if history.tip == ALL_REFS:
            return await self._compute(history)
        result = self._results.get(history)
        if result is None:
            result = self._results[history] = asyncio.ensure_future(self._compute(history))
            result.add_done_callback(lambda done: self._forget_failed(history, done))
            if len(self._results) > MAX_CACHED:
                del self._results[next(iter(self._results))]
        return await asyncio.shield(result)  # the first caller may be canceled while others wait for the same result

    def _forget_failed(self, history: History, done: "asyncio.Future[Result]") -> None:
        if (done.cancelled() or done.exception()) and self._results.get(history) is done:
            del self._results[history]


async def ids(history: History, offset: int, limit: int) -> list[str]:
    """One page of it."""
    return (await history.rev_list(f"--skip={offset}", f"--max-count={limit}")).split()


@HistoryCache
async def count(history: History) -> int:
    """How many commits it has."""
    bitmaps = ["--use-bitmap-index"] if history.whole else []
    return int(await history.rev_list("--count", *bitmaps))


@HistoryCache
async def count_since(history: History) -> int:
    """How many commits the tip has that the base lacks; `LookupError` if one of them does not exist, which is not cached."""
    return await asyncio.to_thread(lambda: ahead_of(opened(history.repo_path), history.base, history.tip))


@HistoryCache
async def latest(history: History) -> str | None:
    """Its newest commit."""
    return (await history.rev_list("--max-count=1")).strip() or None


@HistoryCache
async def latest_of_each(history: History) -> dict[str, str]:
    """The newest commit of each entry of the folder at its path, by the name of the entry.

    Reads until every entry was seen, or the time is over.
    """
    below = len(history.path.encode()) + 1 if history.path else 0
    wanted = trees.names_in(history.repo_path, history.tip, history.path)
    found: dict[str, str] = {}
    options = ("--format=%x01%H", "--name-only", "-z", "--no-renames", "--root")
    named = [history.tip, "--", *([history.path] if history.path else [])]
    commit = ""
    with suppress(TimeoutError):
        async with (
            asyncio.timeout(MAX_WALK_SECONDS),
            aclosing(git.records(git.stream(history.repo_path, "log", *options, named=named))) as fields,
        ):
            async for field in fields:
                if field.startswith(b"\x01"):
                    commit = field[1:41].decode()
                    continue
                name = field.lstrip(b"\n")[below:].partition(b"/")[0].decode("utf-8", "replace")
                if name in wanted and found.setdefault(name, commit) == commit and len(found) == len(wanted):
                    break
    return found


def _seconds(moment: str) -> float:
    """Seconds since 1970: for git time begins then."""
    return max(0.0, datetime.fromisoformat(moment).timestamp())
