"""Writes of one process share a commit: many requests, one BEGIN IMMEDIATE, one wait for the disk.

Requests use the one writing connection in turn, each in its savepoint. The first of a batch puts a commit into the
same queue: it runs after the requests that wait already, on a thread, as a task of its own that no client can cancel.
Requests that arrive meanwhile form the next batch, so batches grow with the load, and a single writer does not wait.

SQLite waits for the disk inside each commit (`synchronous = FULL`), so what a reader sees is durable.
"""

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from contextvars import Context
from time import monotonic
from typing import LiteralString

import apsw

from mujina.kernel.db.errors import CommitFailed
from mujina.kernel.db.schema.trigrams import WAITING
from mujina.kernel.db.sqlite import connection as raw
from mujina.kernel.db.sqlite.connection import MAX_RETRY_DELAY, retry_while_busy
from mujina.kernel.db.statements import Rows, Statements, run_callbacks
from mujina.kernel.db.transaction import Callback, Database, Engine, Tx, Value

YIELD_SECONDS = 2 * MAX_RETRY_DELAY
"""Seconds between two batches, in which a waiting process is sure to try: no process starves (the worst wait of two
processes with 16 writers each: 20 ms, against 150 to 560 without)."""

CONTENTION_SECONDS = 0.1
"""Seconds for which a process leaves gaps after it met a lock of another one."""


class SharedCommits:
    """The one writing connection of a process, and the lock that orders its use."""

    def __init__(self, connection: apsw.Connection, database: Database) -> None:
        self._connection = connection
        self._database = database
        self._lock = asyncio.Lock()
        self._current: asyncio.Task[object] | None = None
        self._batch: _Batch | None = None
        self._contended_until = 0.0
        self._commits: set[asyncio.Task[None]] = set()
        self._thread = ThreadPoolExecutor(1, "mujina-commit")

    async def close(self) -> None:
        """Wait for every batch that has begun."""
        while self._commits:
            await asyncio.wait(self._commits)
        self._thread.shutdown()

    @asynccontextmanager
    async def idle(self) -> AsyncGenerator[None]:
        """Inside, every batch has ended and none begins."""
        await self._lock.acquire()
        while self._batch is not None:  # its commit is in the queue for the lock
            self._lock.release()
            await asyncio.wait(self._commits)
            await self._lock.acquire()
        try:
            yield
        finally:
            self._lock.release()

    def transaction(self) -> AbstractAsyncContextManager[Tx]:
        """The block's writes are on disk when it ends; when it raises, they are rolled back, and only they."""
        return _Member(self)

    async def enter(self) -> "tuple[_Batch, SharedTx]":
        """Wait for the turn of a request; its savepoint begins."""
        task = asyncio.current_task()
        if self._current is task:
            raise RuntimeError("a transaction inside a transaction would wait for itself")
        await self._lock.acquire()
        try:
            batch = self._batch or await self._begin()
            self._connection.execute("SAVEPOINT request")
        except BaseException:
            self._lock.release()
            raise
        self._current = task
        return batch, SharedTx(self._connection, self._database)

    def leave(self, batch: "_Batch", tx: "SharedTx", error: BaseException | None) -> None:
        """End the turn of a request: its writes stay in the batch, or are rolled back because of the error."""
        try:
            if error is None:
                self._connection.execute("RELEASE request")
                batch.callbacks += tx.callbacks
            elif self._connection.in_transaction:
                _roll_back(self._connection)
        except BaseException as failure:
            error = failure
            raise
        finally:
            if error is not None and not self._connection.in_transaction:
                # SQLite rolled back the whole transaction (for example: disk full), not the one statement.
                batch.failure = error
                self._batch = None
            tx.over = True
            self._current = None
            self._lock.release()

    async def _begin(self) -> "_Batch":
        if monotonic() < self._contended_until:
            await asyncio.sleep(YIELD_SECONDS)
        await retry_while_busy(self._lock_file)
        batch = self._batch = _Batch()
        # Its own context: a commit belongs to no single request.
        commit = asyncio.create_task(self._commit(batch), context=Context())
        self._commits.add(commit)
        commit.add_done_callback(self._commits.discard)
        return batch

    def _lock_file(self) -> None:
        try:
            self._connection.execute("BEGIN IMMEDIATE")
        except apsw.BusyError:
            self._contended_until = monotonic() + CONTENTION_SECONDS
            raise

    async def _commit(self, batch: "_Batch") -> None:
        async with self._lock:
            if self._batch is batch:
                self._batch = None
                loop = asyncio.get_running_loop()
                batch.failure = await loop.run_in_executor(self._thread, _commit, self._connection)
        if batch.failure is None:
            run_callbacks(batch.callbacks)
        batch.finish()


class _Member:
    """The block of one request. A class, because a generator costs more, and every request that writes has one."""

    __slots__ = ("_batch", "_commits", "_tx")

    _batch: "_Batch"
    _tx: "SharedTx"

    def __init__(self, commits: SharedCommits) -> None:
        self._commits = commits

    async def __aenter__(self) -> Tx:
        self._batch, self._tx = await self._commits.enter()
        return self._tx

    async def __aexit__(self, _kind: object, error: BaseException | None, _traceback: object) -> None:
        self._commits.leave(self._batch, self._tx, error)
        if error is None and (failure := await self._batch.outcome()):
            raise CommitFailed(f"the transaction could not be made durable: {failure}") from failure


class SharedTx(Statements):
    """The transaction of one request within a batch."""

    engine: Engine = "sqlite"
    reads_committed = False

    def __init__(self, connection: apsw.Connection, database: Database) -> None:
        self._connection = connection
        self._database = database
        self.callbacks: list[Callback] = []
        self.over = False

    async def fetch(self, sql: str, bound: Mapping[str, Value]) -> Rows:
        self._begin_statement()
        return raw.fetch(self._connection, sql, bound)

    async def run(self, sql: LiteralString, /, **bound: Value) -> int:
        await self.fetch(sql, bound)
        return self._connection.changes()

    async def run_each(self, sql: LiteralString, each: Sequence[Mapping[str, Value]], /) -> None:
        self._begin_statement()
        for bound in each:
            raw.fetch(self._connection, sql, bound)

    def run_as_it_is(self, statements: str) -> None:
        """Run statements that SQLite understands as they are."""
        self._begin_statement()
        self._connection.execute(statements)

    @asynccontextmanager
    async def savepoint(self) -> AsyncGenerator[None]:
        self._connection.execute("SAVEPOINT request")
        try:
            yield
        except BaseException:
            if self._connection.in_transaction:
                _roll_back(self._connection)
            raise
        self._connection.execute("RELEASE request")

    def after_commit(self, callback: Callback, /) -> None:
        self.callbacks.append(callback)

    def _begin_statement(self) -> None:
        # A late statement would write into another request's transaction, or into none.
        if self.over or not self._connection.in_transaction:
            raise RuntimeError("this transaction is over")
        self._database.statements += 1


class _Batch:
    """Requests that become durable together."""

    def __init__(self) -> None:
        self.callbacks: list[Callback] = []
        self.failure: BaseException | None = None
        self._waiting: list[asyncio.Future[BaseException | None]] = []

    def outcome(self) -> "asyncio.Future[BaseException | None]":
        """The error that one request waits for, if any. The commit goes on when the request is canceled."""
        waiting = asyncio.get_running_loop().create_future()
        self._waiting.append(waiting)
        return waiting

    def finish(self) -> None:
        for waiting in self._waiting:
            if not waiting.done():  # as that of a request that was canceled
                waiting.set_result(self.failure)


def _roll_back(connection: apsw.Connection) -> None:
    connection.execute("ROLLBACK TO request")
    connection.execute("RELEASE request")


def index_waiting_texts(connection: apsw.Connection) -> None:
    """Put the texts that were written since the last commit into the index that searches read."""
    if connection.table_exists("main", WAITING):
        connection.execute(f"DELETE FROM {WAITING}")


def _commit(connection: apsw.Connection) -> Exception | None:
    """COMMIT, on a thread: it waits for the disk. The error, if any; no transaction is left open."""
    try:
        index_waiting_texts(connection)
        connection.execute("COMMIT")
    except Exception as error:  # noqa: BLE001 - whatever it is, the waiting requests must get it
        if connection.in_transaction:
            with suppress(apsw.Error):
                connection.execute("ROLLBACK")
        return error
    return None
