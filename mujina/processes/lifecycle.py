"""The lifecycle of one process: run its services until asked to stop, let running work finish, then exit."""

import asyncio
import gc
import os
import signal
import sys
from collections.abc import Callable, Collection
from contextlib import suppress
from typing import Any, NoReturn

from mujina.kernel.monitoring.logs import log
from mujina.kernel.services import Service


class ServiceStopped(Exception):
    """A service ended although nothing had stopped it."""


async def run_services(
    services: Collection[Service], *, grace: float, ready: Callable[[], None], parent_fd: int | None
) -> None:
    """Run these services until a signal or the end of the supervisor stops them; nothing is running afterward.

    Running work has `grace` seconds to finish, or until a second signal; then it is canceled.
    """
    signals = _StopSignals(parent_fd)
    tasks = {asyncio.create_task(service.run()) for service in services}
    await asyncio.sleep(0)  # by now each has started or failed
    if not any(task.done() for task in tasks):
        gc.freeze()  # long-lived objects: collecting them would pause every request for tens of milliseconds
        gc.enable()
        ready()
    await _wait_first(tasks, signals.stop)
    failed = [task for task in tasks if task.done()]
    for service in services:
        service.stop()
    await _wait_first([asyncio.ensure_future(asyncio.wait(tasks))], signals.hurry, timeout=grace)
    if pending := [task for task in tasks if not task.done()]:
        log.warning("canceling unfinished work")
        for task in pending:
            task.cancel()
        await asyncio.wait(pending)
    if failed and not signals.stop.is_set():
        raise ServiceStopped from failed[0].exception()


def stop_signals() -> list[signal.Signals]:
    """The signals that stop the instance. A terminal that closes sends SIGHUP, which `nohup` lets processes ignore."""
    ignored = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    return [signal.SIGTERM, signal.SIGINT, *([] if ignored else [signal.SIGHUP])]


def exit_now(code: int = 0) -> NoReturn:
    """End this process at once, with all output written.

    Threads may still be reading for requests that were canceled; the interpreter's own shutdown would wait for them.
    """
    flush_output()
    os._exit(code)


def flush_output() -> None:
    """Write what is buffered; output that cannot be written ends no process."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()


class _StopSignals:
    """Requests from outside: the first signal stops the process, a second one ends the grace period.

    A service manager signals the supervisor and its children at once: the signal and the end of the parent's pipe are one
    request, in whichever order they arrive.
    """

    def __init__(self, parent_fd: int | None) -> None:
        self.stop = asyncio.Event()
        self.hurry = asyncio.Event()
        self._signaled = False
        loop = asyncio.get_running_loop()
        # A supervised process stops when the pipe of its parent closes; a terminal's signals are meant for the supervisor.
        for number in (signal.SIGTERM,) if parent_fd else stop_signals():
            loop.add_signal_handler(number, self._on_signal)
        if parent_fd:
            loop.add_reader(parent_fd, lambda: (loop.remove_reader(parent_fd), self.stop.set()))

    def _on_signal(self) -> None:
        if self._signaled:
            self.hurry.set()
        self._signaled = True
        self.stop.set()


async def _wait_first(
    futures: Collection[asyncio.Future[Any]], event: asyncio.Event, timeout: float | None = None
) -> None:
    """Return when one of the futures is done, the event is set, or the timeout is over."""
    event_set = asyncio.create_task(event.wait())
    await asyncio.wait({*futures, event_set}, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
    event_set.cancel()
