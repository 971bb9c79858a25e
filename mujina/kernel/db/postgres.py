"""PostgreSQL: a pool of connections in UTC with prepared statements and stable plans."""

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from select import POLLIN, poll
from typing import Any, LiteralString, cast

import psycopg
from psycopg import AsyncConnection, AsyncRawCursor
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.pq import TransactionStatus
from psycopg.types.numeric import Int8BinaryDumper, Int8Dumper
from psycopg.types.string import StrBinaryDumper, StrDumper
from psycopg_pool import AsyncConnectionPool, PoolTimeout

from mujina.kernel.db import text
from mujina.kernel.db.errors import DatabaseBusy, DatabaseUnavailable
from mujina.kernel.db.postgres_connection import PostgresConnection
from mujina.kernel.db.postgres_errors import connection_failure, translated_errors
from mujina.kernel.db.shared_flush import SharedFlush
from mujina.kernel.db.statements import Rows, Statements, run_callbacks
from mujina.kernel.db.transaction import Callback, Engine, Tx, Value

MIN_VERSION = 140000
"""The oldest supported server, in PostgreSQL's own numbering: 14."""

POOL_TIMEOUT = 30.0
"""Seconds to wait for a free connection."""

_POOL_EXHAUSTED = "No connection to the database became free in time."

_OPTIONS = {
    "plan_cache_mode": "force_generic_plan",
    "jit": "off",  # no statement here runs long enough to be worth compiling
    "parallel_setup_cost": "1e9",  # parallel workers take longer to start than a statement takes
    "default_transaction_isolation": "read\\ committed",
    "timezone": "UTC",
}
_COMMITS = {"synchronous_commit": "off"}  # `SharedFlush` waits for the disk

_FLUSH = "SELECT pg_logical_emit_message(TRUE, 'mujina', '')"
"""Writes an empty record and waits until it and everything before it are durable."""

_SEARCHING = """
    SET LOCAL plan_cache_mode = force_custom_plan;
    SET LOCAL parallel_setup_cost = 1000;
    SET LOCAL work_mem = '64MB'"""
"""For this transaction: plans for the values that are bound, parallel workers where the server has them, and memory for
all rows that may match."""


class PostgresDatabase:
    """One PostgreSQL database, shared by every process of every machine."""

    engine: Engine = "postgres"

    def __init__(self, url: str, *, sessions: int = 10) -> None:
        self.statements = 0
        self._conninfo = _with_options(url, _OPTIONS)
        self._durable = SharedFlush(self._flush)
        self._flusher: PostgresConnection | None = None
        self._opening = asyncio.Lock()
        self._slots = asyncio.Semaphore(sessions)
        self._pool: AsyncConnectionPool[PostgresConnection] = AsyncConnectionPool(
            _with_options(url, _OPTIONS | _COMMITS),
            connection_class=PostgresConnection,
            kwargs={"autocommit": True, "prepare_threshold": 2, "cursor_factory": AsyncRawCursor},
            min_size=1,
            max_size=sessions,
            timeout=POOL_TIMEOUT,
            configure=_configure,
            open=False,
        )

    async def open(self) -> None:
        """Connect to the server; a failure is a sentence for the operator."""
        try:
            async with await AsyncConnection.connect(self._conninfo, connect_timeout=10) as connection:
                version, encoding = connection.info.server_version, connection.info.parameter_status("server_encoding")
        except psycopg.OperationalError as error:
            raise connection_failure(error, self._conninfo) from error
        if version < MIN_VERSION:
            raise DatabaseUnavailable(f"Mujina needs PostgreSQL 14 or later; this server is {version // 10000}.")
        if encoding != "UTF8":
            raise DatabaseUnavailable(f"Mujina needs a database with the encoding UTF8; this one has {encoding}.")
        await self._pool.open()

    async def close(self) -> None:
        await self._pool.close()
        if self._flusher is not None:
            await self._flusher.close()

    @asynccontextmanager
    async def reading(self) -> AsyncGenerator[Tx]:
        async with self._connected() as connection:
            yield _PostgresTx(self, connection)

    @asynccontextmanager
    async def transaction(self) -> AsyncGenerator[Tx]:
        flusher = await self._crash_detector()
        async with self._connected() as connection:
            tx = _PostgresTx(self, connection)
            with translated_errors(), self._durable.under_way():
                async with connection.transaction():
                    yield tx
        if tx.wrote:
            await self._durable.wait()
            if self._flusher is not flusher:
                raise DatabaseUnavailable("The connection to PostgreSQL was lost.")
        run_callbacks(tx.callbacks)

    @asynccontextmanager
    async def searching(self) -> AsyncGenerator[Tx]:
        async with self._connected() as connection:
            with translated_errors():
                async with connection.transaction():
                    await connection.execute(_SEARCHING)
                    yield _PostgresTx(self, connection)

    async def listen(self, channel: LiteralString, /) -> AsyncGenerator[None]:
        async with await AsyncConnection.connect(self._conninfo, autocommit=True, connect_timeout=10) as connection:
            await connection.execute(f"LISTEN {channel}")
            yield
            async for _ in connection.notifies():
                yield

    async def _crash_detector(self) -> PostgresConnection:
        """The connection that will wait for the disk, opened before the transaction: a crash of the server breaks it."""
        async with self._opening:
            if self._flusher is None or _closed_by_server(self._flusher):
                if self._flusher is not None:
                    await self._flusher.close()
                with translated_errors():
                    self._flusher = await PostgresConnection.connect(
                        self._conninfo, autocommit=True, connect_timeout=10
                    )
            return self._flusher

    async def _flush(self) -> None:
        assert self._flusher is not None
        with translated_errors():
            await self._flusher.execute(_FLUSH, prepare=True)

    @asynccontextmanager
    async def _connected(self) -> AsyncGenerator[PostgresConnection]:
        try:
            # Not in the pool, where waiting costs as much as a statement.
            async with asyncio.timeout(POOL_TIMEOUT if self._slots.locked() else None):
                await self._slots.acquire()
        except TimeoutError as error:
            raise DatabaseBusy(_POOL_EXHAUSTED) from error
        try:
            connection = await self._open_connection()
            try:
                yield connection
            finally:
                await self._pool.putconn(connection)
        finally:
            self._slots.release()

    async def _open_connection(self) -> PostgresConnection:
        try:
            connection = await self._pool.getconn()
            while _closed_by_server(connection):
                await connection.close()
                await self._pool.putconn(connection)
                connection = await self._pool.getconn()
        except PoolTimeout as error:
            raise DatabaseBusy(_POOL_EXHAUSTED) from error
        return connection


class _PostgresTx(Statements):
    """Statements on one connection."""

    engine: Engine = "postgres"

    def __init__(self, database: PostgresDatabase, connection: PostgresConnection) -> None:
        self._database = database
        self._connection = connection
        self._cursor = connection.cursor(binary=True)
        self.callbacks: list[Callback] = []
        self.wrote = False

    async def fetch(self, sql: str, bound: Mapping[str, Value]) -> Rows:
        cursor = await self._execute(sql, bound)
        # Cheaper than `cursor.description`, which describes every column in Python.
        if (result := cursor.pgresult) is None or not result.nfields:
            return []
        if not (result.command_status or b"").startswith(b"SELECT"):
            self.wrote = True
        return await cursor.fetchall()

    async def run(self, sql: LiteralString, /, **bound: Value) -> int:
        self.wrote = True
        return (await self._execute(sql, bound)).rowcount

    async def run_each(self, sql: LiteralString, each: Sequence[Mapping[str, Value]], /) -> None:
        if len(each) == 1:
            await self.run(sql, **each[0])
            return
        self.wrote = True
        statement = text.postgres(sql)
        self._database.statements += 1
        with translated_errors():
            await self._connection.cursor().executemany(
                cast("LiteralString", statement.text), [statement.arguments(bound) for bound in each]
            )

    @asynccontextmanager
    async def savepoint(self) -> AsyncGenerator[None]:
        async with self._connection.transaction():
            yield

    def after_commit(self, callback: Callback, /) -> None:
        self.callbacks.append(callback)

    async def _execute(self, sql: str, bound: Mapping[str, Value]) -> psycopg.AsyncCursor[tuple[Any, ...]]:
        statement = text.postgres(sql)
        self._database.statements += 1
        with translated_errors():
            return await self._cursor.execute(cast("LiteralString", statement.text), statement.arguments(bound))


def _closed_by_server(connection: PostgresConnection) -> bool:
    """Whether the server closed this idle connection, as at a restart: an idle socket is readable only then."""
    if connection.closed:
        return True
    if connection.pgconn.transaction_status == TransactionStatus.ACTIVE:  # what is readable is a result
        return False
    poller = poll()
    poller.register(connection.fileno(), POLLIN)
    return bool(poller.poll(0))


async def _configure(connection: PostgresConnection) -> None:
    """Integers are int8 and strings are text whatever their value, so that each statement is prepared once."""
    connection.prepared_max = 1000
    for dumper in (Int8Dumper, Int8BinaryDumper):
        connection.adapters.register_dumper(int, dumper)
    for dumper in (StrDumper, StrBinaryDumper):
        connection.adapters.register_dumper(str, dumper)


def _with_options(url: str, options: Mapping[str, str]) -> str:
    """The URL with our options before the operator's own, which take precedence."""
    ours = " ".join(f"-c {name}={value}" for name, value in options.items())
    theirs = conninfo_to_dict(url).get("options") or ""
    return make_conninfo(url, options=f"{ours} {theirs}".strip())
