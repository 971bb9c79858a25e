"""How many git processes make or receive packs at the same time, overall and for each user.

A crowd waits in a queue instead of exhausting the memory. Clones and pushes have separate limits.
"""

import asyncio
import os
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Final
from weakref import WeakValueDictionary

from mujina.kernel.concurrency.fair_semaphore import FairSemaphore
from mujina.kernel.permissions.actor import Actor

MAX_CONCURRENT: Final = 4 * (os.cpu_count() or 1)
"""The slots of all processes of an instance together; the reserve has as many again."""
RESERVE_AFTER_SECONDS: Final = 20
"""After this time a request may take a slot of the reserve: slow clients delay others no longer than this."""
MAX_WAIT_SECONDS: Final = 280
BUSY: Final = "Too many others are being served at this moment. Please try again in a few minutes."


class TooManyRequests(Exception):
    """No slot became free within the longest time that a client should wait."""


class ConcurrencyLimit:
    """Slots for requests, with a reserve for those that have waited. One user takes at most half of all slots."""

    def __init__(self, processes: int) -> None:
        self._count = max(2, MAX_CONCURRENT // processes)
        self._slots, self._reserve = FairSemaphore(self._count), FairSemaphore(self._count)
        self._by_user: WeakValueDictionary[str, FairSemaphore] = WeakValueDictionary()
        """One for each user who has a slot or waits for one."""

    @asynccontextmanager
    async def slot(self, actor: Actor, project_id: int) -> AsyncGenerator[None]:
        """A slot for as long as the block runs; `TooManyRequests` if none becomes free in time.

        Anonymous callers share one queue per project.
        """
        key = f"project {project_id}" if actor.anonymous else f"user {actor.id}"
        own = self._by_user.setdefault(key, FairSemaphore(self._count))
        async with AsyncExitStack() as stack:
            entered = await _enter(stack, own, key, MAX_WAIT_SECONDS) and (
                await _enter(stack, self._slots, key, RESERVE_AFTER_SECONDS)
                or await _enter(stack, self._reserve, key, MAX_WAIT_SECONDS)
            )
            if not entered:
                raise TooManyRequests
            yield


async def _enter(stack: AsyncExitStack, semaphore: FairSemaphore, key: str, seconds: float) -> bool:
    """Whether a slot became free in time; it is released when `stack` closes."""
    try:
        async with asyncio.timeout(seconds):
            await stack.enter_async_context(semaphore.slot(key))
    except TimeoutError:
        return False
    return True
