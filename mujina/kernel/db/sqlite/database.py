"""SQLite: short reads on the event loop, long ones and searches on threads, writes in shared commits."""

import asyncio
import math
from collections.abc import AsyncGenerator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from time import perf_counter, thread_time
from typing import LiteralString, cast

import apsw

from mujina.kernel.db.errors import DatabaseUnavailable
from mujina.kernel.db.sqlite import connection as raw
from mujina.kernel.db.sqlite.checkpoints import Checkpoints
from mujina.kernel.db.sqlite.connection import retry_while_busy
from mujina.kernel.db.sqlite.shared_commit import SharedCommits
from mujina.kernel.db.statements import Rows, Statements
from mujina.kernel.db.transaction import Callback, Engine, Tx, Value, contention_key
from mujina.kernel.monitoring.logs import log
from mujina.kernel.product import Product
from mujina.settings import Settings

LISTEN_INTERVAL = 0.1
"""Seconds between two checks for writes of other connections; a check costs a few microseconds."""

SEARCHERS = 2
"""Connections for slow statements, each with its own thread."""

MAX_LOOP_SECONDS = 0.002
"""Processor time, because a busy machine makes every statement wait: a longer one leaves the event loop for others."""

STEPS_BETWEEN_CHECKS = 4_000
"""Instructions of SQLite's virtual machine between two looks at the clock: some 0.1 ms."""

LONG_SECONDS = 60.0
"""How long a statement that took long is expected to do so again."""

MAX_KNOWN_AS_LONG = 1_000

_NEVER = math.inf
"""The deadline while no statement of a request runs."""


class SqliteDatabase:
    """One database file; every process opens its own connections."""

    engine: Engine = "sqlite"
    product: Product
    settings = Settings()

    def __init__(self, path: str | Path, *, foreign_keys: bool = True) -> None:
        self.path = Path(path)
        self._foreign_keys = foreign_keys
        self.statements = 0

    async def open(self) -> None:
        """Open the file, or create it; a failure is a sentence for the operator."""
        try:
            self._writer = raw.connect(self.path)
            if not self._foreign_keys:
                self._writer.execute("PRAGMA foreign_keys = OFF")
            self._reader = raw.connect(self.path, read_only=True)
            self._checkpoints = Checkpoints(self._writer, partial(raw.connect, self.path))
        except apsw.Error as error:
            raise DatabaseUnavailable(f"The database file {self.path} cannot be opened: {error}.") from error
        self._commits = SharedCommits(self._writer, self)
        self._reading = _ShortReading(self, self._reader)
        self._threads = ThreadPoolExecutor(SEARCHERS, "mujina-search")
        self._searchers: list[apsw.Connection] = []
        self._free = asyncio.Semaphore(SEARCHERS)

    async def close(self) -> None:
        """Wait for running commits, then close the file."""
        await self._commits.close()
        self._threads.shutdown()
        self._checkpoints.close()
        for connection in (*self._searchers, self._reader, self._writer):
            connection.close()

    def keep_log(self) -> None:
        """From now on every write stays in the log, so that the file is as it is now."""
        self._writer.set_wal_hook(None)
        with suppress(apsw.BusyError):  # what is in the log already is copied for the last time
            self._writer.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)

    @asynccontextmanager
    async def idle(self) -> AsyncGenerator[None]:
        """Inside, no connection of this process has a statement or a transaction open."""
        async with AsyncExitStack() as stack:
            for _ in range(SEARCHERS):
                await stack.enter_async_context(self._free)
            await stack.enter_async_context(self._commits.idle())
            yield

    def transaction(self) -> AbstractAsyncContextManager[Tx]:
        return self._commits.transaction()

    def reading(self) -> AbstractAsyncContextManager[Tx]:
        return self._reading

    async def listen(self, channel: LiteralString, /) -> AsyncGenerator[None]:  # noqa: ARG002 - the file has one
        last: object = None
        while True:
            version = await retry_while_busy(lambda: raw.fetch(self._reader, "PRAGMA data_version", {}))
            if version != last:
                last = version
                yield
            await asyncio.sleep(LISTEN_INTERVAL)

    def _searcher(self) -> apsw.Connection:
        return raw.connect(self.path, read_only=True, mapped=raw.MAX_MAPPED)

    @asynccontextmanager
    async def searching(self) -> AsyncGenerator[Tx]:
        async with self._free:
            connection = self._searchers.pop() if self._searchers else self._searcher()
            try:
                yield _Searching(self, connection, self._threads)
            finally:
                self._searchers.append(connection)


class _Reading(Statements):
    """Each statement runs at once, on the event loop, and sees the newest committed state."""

    engine: Engine = "sqlite"
    reads_committed = True

    def __init__(self, database: SqliteDatabase, connection: apsw.Connection) -> None:
        self._database = database
        self._connection = connection

    async def __aenter__(self) -> Tx:
        return self

    async def __aexit__(self, *_: object) -> None:
        """No statement is open between two statements."""

    async def fetch(self, sql: str, bound: Mapping[str, Value]) -> Rows:
        self._database.statements += 1
        try:
            return raw.fetch(self._connection, sql, bound)
        except apsw.BusyError:
            return await retry_while_busy(lambda: raw.fetch(self._connection, sql, bound))

    async def run(self, sql: LiteralString, /, **_bound: Value) -> int:
        raise RuntimeError(f"reading cannot run: {sql}")

    async def run_each(self, sql: LiteralString, _each: Sequence[Mapping[str, Value]], /) -> None:
        raise RuntimeError(f"reading cannot run: {sql}")

    def savepoint(self) -> AbstractAsyncContextManager[None]:
        raise RuntimeError("reading has no savepoints")

    def after_commit(self, _callback: Callback, /) -> None:
        raise RuntimeError("reading commits nothing")


class _ShortReading(_Reading):
    """Each statement runs on the event loop for a short time; one that takes longer starts again on a thread.

    A statement that took long for a path starts on a thread at once when that path is requested again.
    """

    def __init__(self, database: SqliteDatabase, connection: apsw.Connection) -> None:
        super().__init__(database, connection)
        self._searching = database.searching
        self._deadline: float | None = _NEVER
        """The deadline of the running statement; None until it was asked the first time."""
        self._long: dict[tuple[str, str], float] = {}
        connection.set_progress_handler(self._is_over, STEPS_BETWEEN_CHECKS)

    def _is_over(self) -> bool:
        """Called while a statement runs. The time to prepare it, once for each process, says nothing about the next time."""
        now = thread_time()
        if self._deadline is None:
            self._deadline = now + MAX_LOOP_SECONDS
        return now > self._deadline

    async def fetch(self, sql: str, bound: Mapping[str, Value]) -> Rows:
        if self._long and self._is_known_as_long(sql):
            return await self._fetch_on_thread(sql, bound)
        try:
            try:
                rows = self._fetch_in_time(sql, bound)
            except apsw.BusyError:
                rows = await retry_while_busy(partial(self._fetch_in_time, sql, bound))
        except apsw.InterruptError:
            self._long[sql, contention_key.get()] = perf_counter()
            if len(self._long) > MAX_KNOWN_AS_LONG:
                del self._long[next(iter(self._long))]
            log.debug("a statement was moved off the event loop", statement=sql)
            return await self._fetch_on_thread(sql, bound)
        self._database.statements += 1
        return rows

    def _fetch_in_time(self, sql: str, bound: Mapping[str, Value]) -> Rows:
        """The rows; interrupted if it takes too long. Whatever else uses the connection has no such limit."""
        self._deadline = None
        try:
            return raw.fetch(self._connection, sql, bound)
        finally:
            self._deadline = _NEVER

    def _is_known_as_long(self, sql: str) -> bool:
        key = sql, contention_key.get()
        since = self._long.get(key)
        if since is not None and perf_counter() - since > LONG_SECONDS:
            del self._long[key]
            return False
        return since is not None

    async def _fetch_on_thread(self, sql: str, bound: Mapping[str, Value]) -> Rows:
        async with self._searching() as tx:
            return await cast("_Searching", tx).fetch(sql, bound)


class _Searching(_Reading):
    """Each statement runs on a thread, so that the event loop goes on."""

    def __init__(self, database: SqliteDatabase, connection: apsw.Connection, threads: ThreadPoolExecutor) -> None:
        super().__init__(database, connection)
        self._threads = threads

    async def fetch(self, sql: str, bound: Mapping[str, Value]) -> Rows:
        self._database.statements += 1
        loop = asyncio.get_running_loop()
        search = loop.run_in_executor(self._threads, raw.fetch, self._connection, sql, bound)
        try:
            return await asyncio.shield(search)
        except asyncio.CancelledError:
            # The next search gets the connection only once the thread no longer uses it.
            self._connection.interrupt()
            await asyncio.wait([search])
            raise
