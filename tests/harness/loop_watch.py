"""Watches over the event loop: a statement that reads from SQLite for long is named, and its test fails.

One that takes long by the clock is run again: what counts is the processor time of the thread, without that of the garbage
collector, at its best of a few times. Neither preparing a statement nor a busy machine, which charges a thread for what its
neighbors do, makes a difference.
"""

import asyncio
import gc
import re
from collections.abc import Callable, Generator, Mapping
from contextlib import closing, contextmanager
from contextvars import ContextVar
from time import perf_counter, thread_time
from typing import Any

import apsw

from mujina.kernel.db.sqlite import connection as apsw_connection

MAX_SECONDS = 0.05
"""The server itself moves a read off the loop after 2 ms."""
TRIES = 3
MEASURE = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50000) SELECT count(*) FROM n"
MEASURE_SECONDS = 0.012
"""What this takes where statements have that long; on a slower machine they have longer."""

on_thread: ContextVar[bool] = ContextVar("on_thread", default=False)
"""Whether the server would run these statements on a thread: here, tests that are rolled back run them on the loop."""

_READS = re.compile(
    r"\s*(SELECT|WITH)\b(?!.*\b(INSERT\s+INTO|UPDATE\s+\w+\s+SET|DELETE\s+FROM)\b)", re.IGNORECASE | re.DOTALL
)
"""What may be run again to judge it: nothing that writes, and nothing that makes tables."""


class LoopWatch:
    """Collects the statements that held the event loop for too long."""

    def __init__(self) -> None:
        self.long: list[str] = []
        self._slowness = max(1.0, _measured() / MEASURE_SECONDS)

    @contextmanager
    def watching(self) -> Generator[None]:
        fetch = apsw_connection.fetch

        def watched(connection: apsw.Connection, sql: str, bound: Mapping[str, Any]) -> Any:
            began = perf_counter()  # asking for the time of the thread takes five times as long
            rows = fetch(connection, sql, bound)
            if (
                self._too_long(perf_counter() - began)
                and _READS.match(sql) is not None
                and not on_thread.get()
                and _on_loop()
            ):
                self._judge(sql, lambda: fetch(connection, sql, bound))
            return rows

        apsw_connection.fetch = watched
        try:
            yield
        finally:
            apsw_connection.fetch = fetch

    def take(self) -> list[str]:
        """The statements since the last call."""
        taken, self.long = self.long, []
        return taken

    def _judge(self, sql: str, again: Callable[[], object]) -> None:
        seconds = _best_of_a_few(again)
        if self._too_long(seconds):
            # The machine may be slower now than it was when this process began.
            slower_now = max(1.0, _measured() / MEASURE_SECONDS / self._slowness)
            if self._too_long(seconds / slower_now):
                self.long.append(f"{seconds * 1000:.0f} ms: {' '.join(sql.split())}")

    def _too_long(self, seconds: float) -> bool:
        return seconds > MAX_SECONDS * self._slowness


def _measured() -> float:
    """Processor time of the measure, at its best of a few times."""
    with closing(apsw.Connection(":memory:")) as connection:
        return _best_of_a_few(lambda: connection.execute(MEASURE).fetchall())


def _best_of_a_few(work: Callable[[], object]) -> float:
    """The least processor time of this thread that the work takes; garbage is collected later."""
    collects = gc.isenabled()
    gc.disable()
    try:
        times: list[float] = []
        for _ in range(TRIES):
            began = thread_time()
            work()
            times.append(thread_time() - began)
        return min(times)
    finally:
        if collects:
            gc.enable()


def _on_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
