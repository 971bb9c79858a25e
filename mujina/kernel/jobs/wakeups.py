"""Runners wake up as soon as a job is enqueued: by the end of the transaction here, by the database in other processes."""

import asyncio
from collections.abc import Generator
from contextlib import aclosing, contextmanager, suppress
from typing import Final

from mujina.kernel.db.transaction import Database
from mujina.kernel.logs import log

CHANNEL: Final = "mujina_jobs"
"""The channel on which PostgreSQL notifies the other processes."""

RECONNECT_SECONDS = 1.0


class Wakeup:
    """A sleep that a notification ends early; a notification outside a sleep ends the next one."""

    def __init__(self) -> None:
        self._event = asyncio.Event()

    def notify(self) -> None:
        self._event.set()

    @property
    def notified(self) -> bool:
        """Whether a notification came since the last sleep."""
        return self._event.is_set()

    async def sleep(self, seconds: float) -> None:
        """At least one turn of the event loop, at most `seconds`."""
        with suppress(TimeoutError):
            async with asyncio.timeout(max(seconds, 0)):
                await self.wait()
        self._event.clear()

    async def wait(self) -> None:
        """Until the next notification."""
        await self._event.wait()
        self._event.clear()


_registered: set[Wakeup] = set()


def notify_runners() -> None:
    """Wake every runner of this process."""
    for wakeup in _registered:
        wakeup.notify()


@contextmanager
def registered(wakeup: Wakeup) -> Generator[None]:
    """Inside, every job that this process enqueues notifies `wakeup`."""
    _registered.add(wakeup)
    try:
        yield
    finally:
        _registered.discard(wakeup)


async def listen(database: Database, wakeup: Wakeup) -> None:
    """Notify for jobs that other processes enqueue, until cancelled; after a lost connection, notify once for all."""
    while True:
        try:
            async with aclosing(database.listen(CHANNEL)) as notifications:
                async for _ in notifications:
                    wakeup.notify()
        except Exception as error:  # noqa: BLE001 - whatever broke the connection, it is opened again
            log.warning("not listening for jobs", error=repr(error))
        await asyncio.sleep(RECONNECT_SECONDS)
