"""Transactions of one process become durable together: each commits and lets go of its rows, then all wait for one flush.

A commit that waits for the disk keeps its locks meanwhile. Transactions that need the same row, such as the counter of a
project's issues, would each wait for a disk write of their own.
"""

import asyncio
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from contextvars import Context

BATCH_SIZE = 5
"""With so many open transactions a flush waits for them: it costs about as much as one of their statements."""

BATCH_DELAY = 0.004
"""Seconds for which a flush waits for them. With fewer open transactions it does not wait."""


class SharedFlush:
    """`flush` makes durable everything committed before it started; one runs at a time, for all waiting transactions."""

    def __init__(self, flush: Callable[[], Awaitable[None]]) -> None:
        self._flush = flush
        self._lock = asyncio.Lock()
        self._next: asyncio.Task[None] | None = None
        self._begun: set[asyncio.Task[None]] = set()
        self._under_way = 0

    @contextmanager
    def under_way(self) -> Generator[None]:
        """Inside, a transaction runs that will wait for a flush after its commit."""
        self._under_way += 1
        try:
            yield
        finally:
            self._under_way -= 1

    async def wait(self) -> None:
        """Returns when everything committed so far is durable."""
        if self._next is None:
            # A task of its own, which no client can cancel.
            self._next = asyncio.get_running_loop().create_task(self._run(), context=Context())
            self._begun.add(self._next)
            self._next.add_done_callback(self._begun.discard)
        await asyncio.shield(self._next)

    async def _run(self) -> None:
        async with self._lock:
            if self._under_way >= BATCH_SIZE:
                await asyncio.sleep(BATCH_DELAY)
            self._next = None  # a commit from here on may be too late for this flush
            await self._flush()
