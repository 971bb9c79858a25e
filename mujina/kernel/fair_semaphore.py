"""A semaphore that is fair by key: many waiters of one key delay each other, but no waiter of another key."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager


class FairSemaphore:
    """At most `at_once` holders. Waiting keys are served round-robin."""

    def __init__(self, at_once: int) -> None:
        self._free = at_once
        self._queues: dict[str, deque[asyncio.Future[None]]] = {}
        """The waiters by key; the next key is first."""

    @asynccontextmanager
    async def one(self, key: str) -> AsyncGenerator[None]:
        """Acquire for the duration of the block."""
        if self._free:
            self._free -= 1
        else:
            await self._wait(key)
        try:
            yield
        finally:
            self._release()

    async def _wait(self, key: str) -> None:
        called = asyncio.get_running_loop().create_future()
        self._queues.setdefault(key, deque()).append(called)
        try:
            await called
        except asyncio.CancelledError:
            if not called.cancelled():  # it was acquired already
                self._release()
            raise

    def _release(self) -> None:
        """Wake the next waiter that was not cancelled."""
        while self._queues:
            key = next(iter(self._queues))
            line = self._queues.pop(key)
            called = line.popleft()
            if line:
                self._queues[key] = line  # behind all others
            if not called.done():
                called.set_result(None)
                return
        self._free += 1
