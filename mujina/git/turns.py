"""Packs are made and taken in by few processes at a time: a crowd takes turns instead of all memory, each person in theirs.

Those who clone wait for those who clone, those who push for those who push.
"""

import asyncio
import os
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Final

from mujina.kernel.actor import Actor
from mujina.kernel.fair_turns import FairTurns

AT_ONCE: Final = 4 * (os.cpu_count() or 1)
"""Of all processes of an instance together; and as many again of those who have waited long."""
PATIENCE_SECONDS: Final = 20
"""Whoever is slow to read or to send, and keeps their turn for as long, keeps others out no longer than this."""
LONGEST_WAIT_SECONDS: Final = 280
BUSY: Final = "Too many others are being served at this moment. Please try again in a few minutes."


class Busy(Exception):
    """Nobody has ended for as long as anybody should wait."""


class Turns:
    """A turn when one is free, a spare one after a while, `Busy` after a long while."""

    def __init__(self, processes: int) -> None:
        count = max(2, AT_ONCE // processes)
        self._lines = {FairTurns(count): PATIENCE_SECONDS, FairTurns(count): LONGEST_WAIT_SECONDS}

    @asynccontextmanager
    async def one(self, actor: Actor, project_id: int) -> AsyncGenerator[None]:
        """For as long as the block runs. Whoever is nobody in particular waits with all who want the same project."""
        key = f"project {project_id}" if actor.anonymous else f"user {actor.id}"
        async with AsyncExitStack() as held:
            await self._wait(held, key)
            yield

    async def _wait(self, held: AsyncExitStack, key: str) -> None:
        for line, seconds in self._lines.items():
            try:
                async with asyncio.timeout(seconds):
                    await held.enter_async_context(line.one(key))
                    return
            except TimeoutError:
                continue
        raise Busy
