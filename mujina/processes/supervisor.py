"""Several processes as one: forked from a parent that has opened nothing but a socket, restarted when they die.

The parent has imported what its children need, so they share its memory and start in milliseconds.
"""

import gc
import os
import select
import signal
import sys
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from typing import NoReturn

import msgspec

from mujina.kernel.logs import log
from mujina.processes.life import leave

YOUNG_SECONDS = 5.0
"""A child that dies younger than this is restarted later and later."""
LONGEST_PAUSE = 10.0


class Post(msgspec.Struct, frozen=True):
    """What a child holds of its parent."""

    lifeline: int
    """At its end when the parent stops or is gone: then the child stops too."""
    news: int

    def ready(self) -> None:
        """Tell the parent that this child does its work."""
        os.write(self.news, b"+")


Work = Callable[[Post], int]
"""What a child does, from beginning to end; its exit code."""


class Child(msgspec.Struct):
    name: str
    work: Work
    pid: int = 0
    born: float = 0.0
    due: float | None = None
    """When it is to be started again; None while it runs."""
    early_deaths: int = 0


class Supervisor:
    """Keeps a child for each piece of work; stops them all on SIGTERM or SIGINT, and kills what outlives `grace`."""

    def __init__(
        self, works: Mapping[str, Work], *, grace: float, ready: Callable[[], None], stopping: Callable[[], None]
    ) -> None:
        self._children = [Child(name, work) for name, work in works.items()]
        self._grace = grace
        self._ready = ready
        self._stopping = stopping
        self._awaited = len(works)
        """How many children have yet to be ready for the first time."""

    def run(self) -> int:
        """Start everything and keep it running until told to stop; the exit code."""
        lifeline, self._held = os.pipe()
        self._heard, news = os.pipe()
        self._post = Post(lifeline, news)
        gc.freeze()  # what exists now is shared: a collection in a child would touch it, and so copy it
        with _arriving_signals() as self._signals:
            for child in self._children:
                self._start(child)
            code = self._keep()
            self._stop()
        return code

    def _start(self, child: Child) -> None:
        sys.stdout.flush()
        child.born, child.due = time.monotonic(), None
        child.pid = os.fork()
        if child.pid == 0:
            os.close(self._held)
            become(lambda: child.work(self._post))

    def _keep(self) -> int:
        while True:
            now = time.monotonic()
            pauses = [max(0.0, child.due - now) for child in self._children if child.due is not None]
            if self._wait(min(pauses, default=None)):
                return 0
            for child, code in self._buried():
                if self._awaited:
                    log.error("start failed", process=child.name, code=code)
                    return 1
                self._plan_restart(child, code)
            for child in self._children:
                if child.due is not None and child.due <= time.monotonic():
                    self._start(child)

    def _wait(self, seconds: float | None) -> bool:
        """Until a child speaks or dies, a signal comes, or the time is over; whether we are told to stop."""
        readable, _, _ = select.select([self._signals, self._heard], [], [], seconds)
        if self._heard in readable:
            heard = len(os.read(self._heard, 64))
            if self._awaited and self._awaited <= heard:
                self._ready()
            self._awaited = max(0, self._awaited - heard)
        came = os.read(self._signals, 64) if self._signals in readable else b""
        return signal.SIGTERM in came or signal.SIGINT in came

    def _buried(self) -> Iterator[tuple[Child, int]]:
        """Children that died, each with its exit code (negative: the signal that killed it)."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            for child in self._children:
                if child.pid == pid:
                    child.pid = 0
                    yield child, os.waitstatus_to_exitcode(status)

    def _plan_restart(self, child: Child, code: int) -> None:
        young = time.monotonic() - child.born < YOUNG_SECONDS
        child.early_deaths = child.early_deaths + 1 if young else 0
        pause = min(LONGEST_PAUSE, 0.25 * 2**child.early_deaths) if child.early_deaths > 1 else 0.0
        child.due = time.monotonic() + pause
        log.warning("process died, starting it again", process=child.name, code=code, seconds=pause)

    def _stop(self) -> None:
        """Let every child finish; kill those that do not in time, or at once when told a second time."""
        self._stopping()
        os.close(self._held)
        end = time.monotonic() + self._grace
        while any(child.pid for child in self._children):
            left = end - time.monotonic()
            if left <= 0 or self._wait(left):
                self._kill()
                end += LONGEST_PAUSE
            for _ in self._buried():
                pass

    def _kill(self) -> None:
        for child in self._children:
            if child.pid:
                log.warning("process killed", process=child.name)
                os.kill(child.pid, signal.SIGKILL)


def in_a_child(work: Callable[[], int]) -> int:
    """Do this in a process of its own, which leaves nothing open in ours; its exit code."""
    sys.stdout.flush()
    pid = os.fork()
    if pid == 0:
        become(work)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def become(work: Callable[[], int]) -> NoReturn:
    """Go on as a child: do the work and end, running nothing that was meant to run at the parent's end."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal sends it to us all; the parent passes it on
    code = 1
    try:
        code = work()
    except BaseException:  # noqa: BLE001 - a child must not go on as its parent
        log.exception("process failed")
    finally:
        leave(code)


@contextmanager
def _arriving_signals() -> Generator[int]:
    """A pipe from which the numbers of signals that came can be read."""
    arriving, put = os.pipe()
    os.set_blocking(put, False)
    former = signal.set_wakeup_fd(put, warn_on_full_buffer=False)
    kept = {number: signal.signal(number, lambda _number, _frame: None) for number in _HEEDED}
    try:
        yield arriving
    finally:
        signal.set_wakeup_fd(former)
        for number, handler in kept.items():
            signal.signal(number, handler)
        os.close(arriving)
        os.close(put)


_HEEDED = (signal.SIGTERM, signal.SIGINT, signal.SIGCHLD)
