"""Transactions of one process become durable together: each commits and lets go of its rows, then all wait for one flush.

A commit that waits for the disk keeps its locks so long. Whoever needs the same row, such as the counter of a project's
issues, would be served one disk write after the other.
"""

import asyncio
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from contextvars import Context

COMPANY = 5
"""So many transactions under way are worth waiting for: a flush costs about as much as one of their statements."""

GATHERING = 0.004
"""Seconds for which they are waited for. Whoever writes with fewer beside them waits for nobody."""


class SharedFlush:
    """`flush` puts on disk all that was committed before it began; one runs at a time, for all who wait."""

    def __init__(self, flush: Callable[[], Awaitable[None]]) -> None:
        self._flush = flush
        self._turn = asyncio.Lock()
        self._next: asyncio.Task[None] | None = None
        self._begun: set[asyncio.Task[None]] = set()
        self._under_way = 0

    @contextmanager
    def under_way(self) -> Generator[None]:
        """Inside, a transaction runs that will want a flush when it has committed."""
        self._under_way += 1
        try:
            yield
        finally:
            self._under_way -= 1

    async def wait(self) -> None:
        """Returns when everything that is committed by now is durable."""
        if self._next is None:
            # A task of its own, which no client can cancel.
            self._next = asyncio.get_running_loop().create_task(self._run(), context=Context())
            self._begun.add(self._next)
            self._next.add_done_callback(self._begun.discard)
        await asyncio.shield(self._next)

    async def _run(self) -> None:
        async with self._turn:
            if self._under_way >= COMPANY:
                await asyncio.sleep(GATHERING)
            self._next = None  # who commits from here on may be too late for this one
            await self._flush()
