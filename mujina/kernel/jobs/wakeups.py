"""Runners wake up as soon as a job is enqueued: by the end of the transaction here, by the database in other processes."""

import asyncio
from collections.abc import Generator
from contextlib import aclosing, contextmanager, suppress
from typing import Final, LiteralString

from mujina.kernel.db.transaction import Database
from mujina.kernel.monitoring.logs import log

CHANNEL: Final = "mujina_jobs"
"""The channel on which PostgreSQL notifies the other processes."""
HOOK_CHANNEL: Final = "mujina_hooks"
"""The channel of events that hooks wait for: they wake no runner of jobs."""

RECONNECT_SECONDS = 1.0


class Wakeup:
    """A sleep that a notification ends early; a notification outside a sleep ends the next one."""

    def __init__(self) -> None:
        self._event = asyncio.Event()

    def notify(self) -> None:
        self._event.set()

    def clear(self) -> None:
        """Forget notifications until now."""
        self._event.clear()

    @property
    def notified(self) -> bool:
        """Whether a notification came since the last sleep."""
        return self._event.is_set()

    async def sleep(self, seconds: float) -> None:
        """Waits for at least one turn of the event loop, at most `seconds`."""
        with suppress(TimeoutError):
            async with asyncio.timeout(max(seconds, 0)):
                await self.wait()
        self._event.clear()

    async def wait(self) -> None:
        """Waits until the next notification."""
        await self._event.wait()
        self._event.clear()


_registered: dict[str, set[Wakeup]] = {CHANNEL: set(), HOOK_CHANNEL: set()}


def notify_runners() -> None:
    """Wake every runner of this process."""
    for wakeup in _registered[CHANNEL]:
        wakeup.notify()


def notify_deliverers() -> None:
    """Wake what calls hooks in this process."""
    for wakeup in _registered[HOOK_CHANNEL]:
        wakeup.notify()


@contextmanager
def registered(wakeup: Wakeup, *channels: str) -> Generator[None]:
    """Inside, every job that this process enqueues notifies `wakeup`; or what happens on these channels instead."""
    for channel in channels or (CHANNEL,):
        _registered[channel].add(wakeup)
    try:
        yield
    finally:
        for waiting in _registered.values():
            waiting.discard(wakeup)


async def listen(database: Database, wakeup: Wakeup, channel: LiteralString = CHANNEL) -> None:
    """Notify for jobs that other processes enqueue, until canceled; after a lost connection, notify once for all."""
    while True:
        try:
            async with aclosing(database.listen(channel)) as notifications:
                async for _ in notifications:
                    wakeup.notify()
        except Exception as error:  # noqa: BLE001 - whatever broke the connection, it is opened again
            log.warning("not listening for jobs", error=repr(error))
        await asyncio.sleep(RECONNECT_SECONDS)
