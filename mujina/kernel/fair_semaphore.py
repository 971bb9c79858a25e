"""Whoever waits goes in turns by key: a crowd with one key holds up itself, and nobody with another key."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager


class FairSemaphore:
    """At most so many at once. Of those who wait, each key is let in once before any is let in again."""

    def __init__(self, at_once: int) -> None:
        self._free = at_once
        self._lines: dict[str, deque[asyncio.Future[None]]] = {}
        """Who waits, by key; the key whose turn is next stands first."""

    @asynccontextmanager
    async def one(self, key: str) -> AsyncGenerator[None]:
        """A turn, for as long as the block runs."""
        if self._free:
            self._free -= 1
        else:
            await self._wait(key)
        try:
            yield
        finally:
            self._pass_on()

    async def _wait(self, key: str) -> None:
        called = asyncio.get_running_loop().create_future()
        self._lines.setdefault(key, deque()).append(called)
        try:
            await called
        except asyncio.CancelledError:
            if not called.cancelled():  # it was their turn already
                self._pass_on()
            raise

    def _pass_on(self) -> None:
        """To the next who is still there."""
        while self._lines:
            key = next(iter(self._lines))
            line = self._lines.pop(key)
            called = line.popleft()
            if line:
                self._lines[key] = line  # behind all others
            if not called.done():
                called.set_result(None)
                return
        self._free += 1
