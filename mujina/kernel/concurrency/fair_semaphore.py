"""A semaphore that is fair by key: many waiters of one key delay each other, but no waiter of another key."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager


class FairSemaphore:
    """At most `at_once` holders, of one key at most `per_key`. Waiting keys are served round-robin."""

    def __init__(self, at_once: int, *, per_key: int | None = None) -> None:
        self._free = at_once
        self._per_key = per_key or at_once
        self._held: dict[str, int] = {}
        self._queues: dict[str, deque[asyncio.Future[None]]] = {}
        """The waiters by key; the next key is first."""

    @asynccontextmanager
    async def slot(self, key: str) -> AsyncGenerator[None]:
        """Acquire for the duration of the block."""
        await self.acquire(key)
        try:
            yield
        finally:
            self.release(key)

    def full(self, key: str) -> bool:
        """Whether `acquire` would wait."""
        return not self._free or self.full_of(key)

    def full_of(self, key: str) -> bool:
        """Whether holders of this key are what `acquire` would wait for."""
        return self._held.get(key, 0) >= self._per_key

    async def acquire(self, key: str) -> None:
        """Take a place, when there is one for this key."""
        if self.full(key):
            await self._wait(key)
        else:
            self._take(key)

    def release(self, key: str) -> None:
        """Give the place back, to the next waiter that may have one."""
        self._free += 1
        if self._held[key] == 1:
            del self._held[key]
        else:
            self._held[key] -= 1
        self._wake()

    def _take(self, key: str) -> None:
        self._free -= 1
        self._held[key] = self._held.get(key, 0) + 1

    async def _wait(self, key: str) -> None:
        called = asyncio.get_running_loop().create_future()
        self._queues.setdefault(key, deque()).append(called)
        try:
            await called
        except asyncio.CancelledError:
            if not called.cancelled():  # it was acquired already
                self.release(key)
            raise

    def _wake(self) -> None:
        """Give free places to waiters, one to each key in turn."""
        while self._free and any(self._give(key) for key in list(self._queues)):
            pass

    def _give(self, key: str) -> bool:
        if self.full(key) or (called := self._next(key)) is None:
            return False
        self._take(key)
        called.set_result(None)
        return True

    def _next(self, key: str) -> "asyncio.Future[None] | None":
        """The first waiter of the key that was not canceled; the others come after the waiters of all other keys."""
        line = self._queues.pop(key, None)
        while line:
            called = line.popleft()
            if not called.done():
                if line:
                    self._queues[key] = line
                return called
        return None
