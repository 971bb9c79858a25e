"""Packs are made and taken in by few processes at a time: a crowd takes turns instead of all memory, each person in theirs.

Those who clone wait for those who clone, those who push for those who push.
"""

import asyncio
import os
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Final
from weakref import WeakValueDictionary

from mujina.kernel.actor import Actor
from mujina.kernel.fair_semaphore import FairSemaphore

AT_ONCE: Final = 4 * (os.cpu_count() or 1)
"""Of all processes of an instance together; and as many again of those who have waited long."""
PATIENCE_SECONDS: Final = 20
"""Whoever is slow to read or to send, and keeps their turn for as long, keeps others out no longer than this."""
LONGEST_WAIT_SECONDS: Final = 280
BUSY: Final = "Too many others are being served at this moment. Please try again in a few minutes."


class Busy(Exception):
    """Nobody has ended for as long as anybody should wait."""


class Turns:
    """A turn when one is free, a spare one after a while, `Busy` after a long while. Nobody has more than half of all."""

    def __init__(self, processes: int) -> None:
        self._count = max(2, AT_ONCE // processes)
        self._first, self._spare = FairSemaphore(self._count), FairSemaphore(self._count)
        self._own: WeakValueDictionary[str, FairSemaphore] = WeakValueDictionary()
        """Of each who has turns, or waits for one."""

    @asynccontextmanager
    async def one(self, actor: Actor, project_id: int) -> AsyncGenerator[None]:
        """For as long as the block runs. Whoever is nobody in particular waits with all who want the same project."""
        key = f"project {project_id}" if actor.anonymous else f"user {actor.id}"
        own = self._own.setdefault(key, FairSemaphore(self._count))
        async with AsyncExitStack() as held:
            served = await _enter(held, own, key, LONGEST_WAIT_SECONDS) and (
                await _enter(held, self._first, key, PATIENCE_SECONDS)
                or await _enter(held, self._spare, key, LONGEST_WAIT_SECONDS)
            )
            if not served:
                raise Busy
            yield


async def _enter(held: AsyncExitStack, line: FairSemaphore, key: str, seconds: float) -> bool:
    """Whether there was a turn in time; it is kept for as long as `held` is open."""
    try:
        async with asyncio.timeout(seconds):
            await held.enter_async_context(line.one(key))
    except TimeoutError:
        return False
    return True
