"""Databases whose tests are rolled back: each test runs in one transaction on one connection.

Requests run in savepoints of it, through the engines' own transactions. What only a real commit shows (two connections,
durability, waking) is for tests marked `commits`.
"""

import asyncio
from collections.abc import AsyncGenerator, Generator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

from mujina.kernel.db.postgres.database import PostgresConnection, PostgresDatabase, _PostgresTx
from mujina.kernel.db.postgres.errors import translated_errors
from mujina.kernel.db.sqlite import connection as apsw_connection
from mujina.kernel.db.sqlite.database import _Reading
from mujina.kernel.db.sqlite.shared_commit import SharedTx, index_waiting_texts
from mujina.kernel.db.statements import run_callbacks
from mujina.kernel.db.transaction import Engine, Tx
from mujina.kernel.product import Product
from mujina.settings import Settings
from tests.harness.loop_watch import on_thread


class RolledBack:
    """What both engines share: savepoints take turns, and a transaction inside a transaction is refused."""

    engine: Engine
    product: Product
    settings = Settings()

    def __init__(self) -> None:
        self.statements = 0
        self._turn = asyncio.Lock()
        self._holder: asyncio.Task[Any] | None = None

    @asynccontextmanager
    async def transaction(self) -> AsyncGenerator[Tx]:
        if self._holder is asyncio.current_task():
            raise RuntimeError("a transaction inside a transaction would wait for itself")
        async with self._turn:
            self._holder = asyncio.current_task()
            try:
                async with self._savepoint() as tx:
                    yield tx
            finally:
                self._holder = None
        run_callbacks(tx.callbacks)

    def _savepoint(self) -> AbstractAsyncContextManager[Any]:
        raise NotImplementedError

    def searching(self) -> AbstractAsyncContextManager[Tx]:
        return self.reading()

    def reading(self) -> AbstractAsyncContextManager[Tx]:
        raise NotImplementedError

    async def open(self) -> None:
        raise NotImplementedError

    async def close(self) -> None:
        raise NotImplementedError

    async def begin(self) -> None:
        """From here on everything is to be forgotten."""
        raise NotImplementedError

    async def forget(self) -> None:
        """Everything is as it was at `begin`."""
        raise NotImplementedError


@contextmanager
def forgotten(database: RolledBack, loop: asyncio.AbstractEventLoop) -> Generator[None]:
    """Around each test: what happens inside is forgotten."""
    loop.run_until_complete(database.begin())
    try:
        yield
    finally:
        loop.run_until_complete(database.forget())


class RolledBackSqlite(RolledBack):
    engine: Engine = "sqlite"

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path

    async def open(self) -> None:
        self._connection = apsw_connection.connect(self.path)

    async def close(self) -> None:
        self._connection.close()

    async def begin(self) -> None:
        self._connection.execute("BEGIN IMMEDIATE")

    async def forget(self) -> None:
        self._connection.execute("ROLLBACK")

    @asynccontextmanager
    async def _savepoint(self) -> AsyncGenerator[SharedTx]:
        tx = SharedTx(self._connection, self)
        try:
            async with tx.savepoint():
                yield tx
            index_waiting_texts(self._connection)
        finally:
            tx.over = True

    @asynccontextmanager
    async def reading(self) -> AsyncGenerator[Tx]:
        yield _Reading(self, self._connection)  # of the database, it only wants to be counted by it

    @asynccontextmanager
    async def searching(self) -> AsyncGenerator[Tx]:
        outside = on_thread.set(True)
        try:
            yield _Reading(self, self._connection)
        finally:
            on_thread.reset(outside)


class RolledBackPostgres(RolledBack):
    engine: Engine = "postgres"

    def __init__(self, url: str) -> None:
        super().__init__()
        self._real = PostgresDatabase(url, sessions=1)
        self._stack = AsyncExitStack()

    async def open(self) -> None:
        await self._real.open()
        self._connection: PostgresConnection = await self._stack.enter_async_context(self._real._pool.reader())
        # All tests of a process use this connection: planning a statement takes the server longer than running it here.
        prepared = self._connection.prepared
        prepared.uses_before, prepared.max_prepared = 0, 10_000

    async def close(self) -> None:
        await self._stack.aclose()
        await self._real.close()

    async def begin(self) -> None:
        await self._connection.execute("BEGIN")

    async def forget(self) -> None:
        await self._connection.execute("ROLLBACK")

    @asynccontextmanager
    async def _savepoint(self) -> AsyncGenerator[_PostgresTx]:
        tx = self._tx()
        with translated_errors():
            async with tx.savepoint():
                yield tx

    @asynccontextmanager
    async def reading(self) -> AsyncGenerator[Tx]:
        yield self._tx()

    def _tx(self) -> _PostgresTx:
        return _PostgresTx(self, self._connection)  # of the database, it only wants to be counted by it
