"""The life of one process: do what it is for until told to stop, let what runs come to its end, and leave."""

import asyncio
import gc
import os
import signal
import sys
from collections.abc import Callable, Collection, Coroutine
from typing import Any, NoReturn, Protocol

from mujina.kernel.logs import log


class Duty(Protocol):
    """Something a process is for: answering HTTP, running jobs."""

    def run(self) -> Coroutine[Any, Any, None]:
        """Do it until `stop`, then bring what has begun to its end."""
        ...

    def stop(self) -> None:
        """Begin nothing more."""
        ...


class Abandoned(Exception):
    """A duty ended though nobody had stopped it."""


async def live(
    duties: Collection[Duty], *, grace: float, ready: Callable[[], None], lifeline: int | None = None
) -> None:
    """Perform these duties until SIGTERM, SIGINT or the supervisor's end; nothing runs any more afterwards.

    What has begun is given `grace` seconds to end, or until a second signal; then it is cut off.
    """
    orders = _Orders(lifeline)
    running = {asyncio.create_task(duty.run()) for duty in duties}
    await asyncio.sleep(0)  # each has begun by now, or failed
    if not any(task.done() for task in running):
        gc.freeze()  # what a process is made of stays: walking over it would stop every request for tens of milliseconds
        ready()
    await _first(running, orders.stop)
    failed = [task for task in running if task.done()]
    for duty in duties:
        duty.stop()
    await _first([asyncio.ensure_future(asyncio.wait(running))], orders.hurry, timeout=grace)
    if late := [task for task in running if not task.done()]:
        log.warning("cutting off what still runs")
        for task in late:
            task.cancel()
        await asyncio.wait(late)
    if failed and not orders.stop.is_set():
        raise Abandoned from failed[0].exception()


def leave(code: int = 0) -> NoReturn:
    """End this process at once, with everything written.

    The HTTP server's thread may still be winding down: it aborts when the interpreter is taken apart around it.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


class _Orders:
    """What the process is told from outside: to stop, and by a second signal to hurry."""

    def __init__(self, lifeline: int | None) -> None:
        self.stop = asyncio.Event()
        self.hurry = asyncio.Event()
        loop = asyncio.get_running_loop()
        # A supervised process is told by its lifeline; a terminal's SIGINT is for the supervisor.
        for number in (signal.SIGTERM,) if lifeline else (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._tell)
        if lifeline:
            loop.add_reader(lifeline, lambda: (loop.remove_reader(lifeline), self._tell()))

    def _tell(self) -> None:
        (self.hurry if self.stop.is_set() else self.stop).set()


async def _first(ends: Collection[asyncio.Future[Any]], event: asyncio.Event, timeout: float | None = None) -> None:
    """Return when one of these ends, the event happens, or the time is over."""
    happened = asyncio.create_task(event.wait())
    await asyncio.wait({*ends, happened}, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
    happened.cancel()
