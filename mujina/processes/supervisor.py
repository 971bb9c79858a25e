"""Forks the worker processes and restarts those that die. The parent itself opens nothing but sockets.

The parent has imported the modules that its children need, so they share its memory and start in milliseconds.
"""

import gc
import os
import select
import signal
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from typing import NoReturn

import msgspec

from mujina.kernel.monitoring.logs import log
from mujina.processes.lifecycle import exit_now, flush_output, stop_signals

EARLY_EXIT_SECONDS = 5.0
"""A child that exits earlier than this is restarted with increasing delays."""
MAX_RESTART_DELAY = 10.0


class ParentLink(msgspec.Struct, frozen=True):
    """A child's pipes from and to its parent."""

    parent_fd: int
    """Reaches end of file when the parent stops or dies; the child then stops too."""
    reports: int

    def ready(self) -> None:
        """Report to the parent that this child has started."""
        os.write(self.reports, b"+")


ChildWork = Callable[[ParentLink], int]
"""The body of a child process; returns its exit code."""


class Child(msgspec.Struct):
    name: str
    work: ChildWork
    pid: int = 0
    started_at: float = 0.0
    restart_at: float | None = None
    """None while it runs."""
    early_exits: int = 0


class Supervisor:
    """Keeps one child running per entry of `works`; on a signal stops them all, and kills those that exceed `grace`."""

    def __init__(
        self, works: Mapping[str, ChildWork], *, grace: float, ready: Callable[[], None], stopping: Callable[[], None]
    ) -> None:
        self._children = [Child(name, work) for name, work in works.items()]
        self._grace = grace
        self._ready = ready
        self._stopping = stopping
        self._starting = len(works)
        """Number of children that have not yet been ready for the first time."""

    def run(self) -> int:
        """Start all children and keep them running until a stop signal; return the exit code."""
        parent_fd, self._parent_end = os.pipe()
        self._reports, reports = os.pipe()
        self._link = ParentLink(parent_fd, reports)
        gc.freeze()  # memory is shared copy-on-write: a collection in a child would copy these objects
        with _signal_pipe() as self._signals:
            for child in self._children:
                self._start(child)
            code = self._keep_running()
            self._stop()
        return code

    def _start(self, child: Child) -> None:
        flush_output()
        child.started_at, child.restart_at = time.monotonic(), None
        child.pid = os.fork()
        if child.pid == 0:
            os.close(self._parent_end)
            run_as_child(lambda: child.work(self._link))

    def _keep_running(self) -> int:
        while True:
            now = time.monotonic()
            delays = [max(0.0, child.restart_at - now) for child in self._children if child.restart_at is not None]
            if self._wait(min(delays, default=None)):
                return 0
            for child, code in self._exited():
                if self._starting:
                    log.error("start failed", process=child.name, code=code)
                    return 1
                self._schedule_restart(child, code)
            for child in self._children:
                if child.restart_at is not None and child.restart_at <= time.monotonic():
                    self._start(child)

    def _wait(self, seconds: float | None) -> bool:
        """Wait for a child's report or exit, a signal, or the timeout; return whether to stop."""
        readable, _, _ = select.select([self._signals, self._reports], [], [], seconds)
        if self._reports in readable:
            count = len(os.read(self._reports, 64))
            if self._starting and self._starting <= count:
                self._ready()
            self._starting = max(0, self._starting - count)
        received = os.read(self._signals, 64) if self._signals in readable else b""
        return not set(stop_signals()).isdisjoint(received)

    def _exited(self) -> Iterator[tuple[Child, int]]:
        """The children that have exited, each with its exit code (negative: the signal that killed it)."""
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

    def _schedule_restart(self, child: Child, code: int) -> None:
        early = time.monotonic() - child.started_at < EARLY_EXIT_SECONDS
        child.early_exits = child.early_exits + 1 if early else 0
        delay = min(MAX_RESTART_DELAY, 0.25 * 2**child.early_exits) if child.early_exits > 1 else 0.0
        child.restart_at = time.monotonic() + delay
        log.warning("process exited, restarting", process=child.name, code=code, seconds=delay)

    def _stop(self) -> None:
        """Let every child finish; kill those that take too long, or all of them on a second signal."""
        self._stopping()
        os.close(self._parent_end)
        deadline = time.monotonic() + self._grace
        while any(child.pid for child in self._children):
            remaining = deadline - time.monotonic()
            if remaining <= 0 or self._wait(remaining):
                for child in self._children:
                    if child.pid:
                        log.warning("process killed", process=child.name)
                        os.kill(child.pid, signal.SIGKILL)
                deadline += MAX_RESTART_DELAY
            for _ in self._exited():
                pass


def run_in_child(work: Callable[[], int]) -> int:
    """Run the work in a forked process, which leaves nothing open in ours; return its exit code."""
    return exit_code(start_in_child(work))


def start_in_child(work: Callable[[], int]) -> int:
    """Start the work in a forked process, which leaves nothing open in ours; return the id of the process."""
    flush_output()
    pid = os.fork()
    if pid == 0:
        run_as_child(work)
    return pid


def exit_code(pid: int) -> int:
    """Wait for the end of this child; return its exit code."""
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def run_as_child(work: Callable[[], int]) -> NoReturn:
    """Run the work in this forked child and exit, without the exit handlers of the parent."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # a terminal sends it to the whole group; the parent handles it
    code = 1
    try:
        code = work()
    except BaseException:  # noqa: BLE001 - a child must never return into the parent's code
        log.exception("process failed")
    finally:
        exit_now(code)


@contextmanager
def _signal_pipe() -> Generator[int]:
    """A pipe that yields the numbers of the received signals."""
    read_end, write_end = os.pipe()
    os.set_blocking(write_end, False)
    previous_fd = signal.set_wakeup_fd(write_end, warn_on_full_buffer=False)
    handled = (*stop_signals(), signal.SIGCHLD)
    previous_handlers = {number: signal.signal(number, lambda _number, _frame: None) for number in handled}
    try:
        yield read_end
    finally:
        signal.set_wakeup_fd(previous_fd)
        for number, handler in previous_handlers.items():
            signal.signal(number, handler)
        os.close(read_end)
        os.close(write_end)
