"""Packs are made by a few processes at a time, so that a crowd of clones takes turns instead of all memory."""

import asyncio
import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Final

AT_ONCE: Final = 4 * (os.cpu_count() or 1)
LONGEST_WAIT_SECONDS: Final = 20
"""Nobody waits longer: slow readers, who keep their turn for as long as they read, never keep others out."""


class Turns:
    """At most `AT_ONCE` hold a turn, except for those who have waited long enough."""

    def __init__(self) -> None:
        self._free = asyncio.Semaphore(AT_ONCE)

    @asynccontextmanager
    async def one(self) -> AsyncGenerator[None]:
        try:
            async with asyncio.timeout(LONGEST_WAIT_SECONDS):
                await self._free.acquire()
        except TimeoutError:
            yield
            return
        try:
            yield
        finally:
            self._free.release()
