"""Runners are woken as soon as a job is wanted: by the transaction's end in this process, by the database in others."""

import asyncio
from collections.abc import Generator
from contextlib import aclosing, contextmanager, suppress
from typing import Final

from mujina.kernel.db.transaction import Database
from mujina.kernel.logs import log

CHANNEL: Final = "mujina_jobs"
"""On which PostgreSQL carries the news from one process to the others."""

RECONNECT_SECONDS = 1.0


class Bell:
    """Sleep that ends early when somebody rings; a ring while nobody sleeps ends the next sleep."""

    def __init__(self) -> None:
        self._rung = asyncio.Event()

    def ring(self) -> None:
        self._rung.set()

    @property
    def rung(self) -> bool:
        """Whether somebody rang since the last sleep."""
        return self._rung.is_set()

    async def sleep(self, seconds: float) -> None:
        """At least one turn of the event loop, at most `seconds`."""
        with suppress(TimeoutError):
            async with asyncio.timeout(max(seconds, 0)):
                await self.wait()
        self._rung.clear()

    async def wait(self) -> None:
        """Until somebody rings."""
        await self._rung.wait()
        self._rung.clear()


_bells: set[Bell] = set()


def ring() -> None:
    """Wake every runner of this process."""
    for bell in _bells:
        bell.ring()


@contextmanager
def hung(bell: Bell) -> Generator[None]:
    """Inside, the bell is rung by every job this process wants."""
    _bells.add(bell)
    try:
        yield
    finally:
        _bells.discard(bell)


async def listen(database: Database, bell: Bell) -> None:
    """Ring for jobs other processes want, until cancelled; what came while nobody listened is rung for afterwards."""
    while True:
        try:
            async with aclosing(database.listen(CHANNEL)) as news:
                async for _ in news:
                    bell.ring()
        except Exception as error:  # noqa: BLE001 - whatever broke the line, it is opened again
            log.warning("not listening for jobs", error=repr(error))
        await asyncio.sleep(RECONNECT_SECONDS)
