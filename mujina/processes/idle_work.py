"""Work that a process does in small steps while it has nothing else to do."""

import asyncio
from collections.abc import Callable, Iterator
from typing import Final

STEP_SECONDS: Final = 0.02
"""Between two steps, so that a request that comes meanwhile waits for one of them at most."""
FIRST_SECONDS = 0.5
"""After the start: who started the server to ask something asks by then."""


class IdleWork:
    """Takes the steps one after the other, whenever nothing is `busy`."""

    def __init__(self, steps: Iterator[Callable[[], object]], busy: Callable[[], bool]) -> None:
        self._steps = steps
        self._busy = busy
        self._stop_asked = asyncio.Event()

    async def run(self) -> None:
        """Take the steps until `stop`."""
        working = asyncio.create_task(self._work())
        await self._stop_asked.wait()
        working.cancel()

    def stop(self) -> None:
        """Take no further step."""
        self._stop_asked.set()

    async def _work(self) -> None:
        await asyncio.sleep(FIRST_SECONDS)
        step = next(self._steps, None)
        while step is not None:
            if not self._busy():
                step()
                step = next(self._steps, None)
            await asyncio.sleep(STEP_SECONDS)
