"""PostgreSQL behind the transaction both engines offer: a pool of prepared, plan-stable sessions in UTC."""

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
from mujina.kernel.db.postgres_errors import plainly, spelled
from mujina.kernel.db.postgres_session import Session
from mujina.kernel.db.shared_flush import SharedFlush
from mujina.kernel.db.statements import Rows, Statements, announce
from mujina.kernel.db.transaction import Engine, Tx, Value, Wake

OLDEST = 140000
"""The oldest server that is supported, as PostgreSQL counts: 14."""

PATIENCE = 30.0
"""Seconds to wait for a session that is free."""

_NONE_FREE = "No connection to the database became free in time."

_OPTIONS = {
    "plan_cache_mode": "force_generic_plan",
    "jit": "off",  # no statement here runs long enough to be worth compiling
    "parallel_setup_cost": "1e9",  # nor to wait for parallel workers: they take longer to start than a page takes
    "default_transaction_isolation": "read\\ committed",
    "timezone": "UTC",
}
_COMMITS = {"synchronous_commit": "off"}  # `SharedFlush` waits for the disk

_FLUSH = "SELECT pg_logical_emit_message(TRUE, 'mujina', '')"
"""Writes a record of nothing and waits, as the server is told to, until it and all before it are durable."""

_SEARCHING = """
    SET LOCAL plan_cache_mode = force_custom_plan;
    SET LOCAL parallel_setup_cost = 1000;
    SET LOCAL work_mem = '64MB'"""
"""Until the end of the transaction: plans for the very words asked for, worked on by several processes where the server
has them, with room to remember each row that may match."""


class PostgresDatabase:
    """One PostgreSQL database, shared by every process of every machine."""

    engine: Engine = "postgres"

    def __init__(self, url: str, *, sessions: int = 10) -> None:
        self.statements = 0
        self._conninfo = _with_options(url, _OPTIONS)
        self._durable = SharedFlush(self._flush)
        self._flusher: Session | None = None
        self._opening = asyncio.Lock()
        self._room = asyncio.Semaphore(sessions)
        self._pool: AsyncConnectionPool[Session] = AsyncConnectionPool(
            _with_options(url, _OPTIONS | _COMMITS),
            connection_class=Session,
            kwargs={"autocommit": True, "prepare_threshold": 2, "cursor_factory": AsyncRawCursor},
            min_size=1,
            max_size=sessions,
            timeout=PATIENCE,
            configure=_configure,
            open=False,
        )

    async def open(self) -> None:
        """Reach the server; a failure is a sentence for the operator."""
        try:
            async with await AsyncConnection.connect(self._conninfo, connect_timeout=10) as session:
                version, encoding = session.info.server_version, session.info.parameter_status("server_encoding")
        except psycopg.OperationalError as error:
            raise plainly(error, self._conninfo) from error
        if version < OLDEST:
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
        async with self._session() as session:
            yield _PostgresTx(self, session)

    @asynccontextmanager
    async def transaction(self) -> AsyncGenerator[Tx]:
        witness = await self._witness()
        async with self._session() as session:
            tx = _PostgresTx(self, session)
            with spelled(), self._durable.under_way():
                async with session.transaction():
                    yield tx
        if tx.wrote:
            await self._durable.wait()
            if self._flusher is not witness:
                raise DatabaseUnavailable("The connection to PostgreSQL was lost.")
        announce(tx.wakes)

    @asynccontextmanager
    async def searching(self) -> AsyncGenerator[Tx]:
        async with self._session() as session:
            with spelled():
                async with session.transaction():
                    await session.execute(_SEARCHING)
                    yield _PostgresTx(self, session)

    async def listen(self, channel: LiteralString, /) -> AsyncGenerator[None]:
        async with await AsyncConnection.connect(self._conninfo, autocommit=True, connect_timeout=10) as session:
            await session.execute(f"LISTEN {channel}")
            yield
            async for _ in session.notifies():
                yield

    async def _witness(self) -> Session:
        """The session that will wait for the disk, opened before the transaction: should the server crash, it will know."""
        async with self._opening:
            if self._flusher is None or _hung_up(self._flusher):
                if self._flusher is not None:
                    await self._flusher.close()
                with spelled():
                    self._flusher = await Session.connect(self._conninfo, autocommit=True, connect_timeout=10)
            return self._flusher

    async def _flush(self) -> None:
        assert self._flusher is not None
        with spelled():
            await self._flusher.execute(_FLUSH, prepare=True)

    @asynccontextmanager
    async def _session(self) -> AsyncGenerator[Session]:
        try:
            # Here, not in the pool: there waiting costs as much as a statement.
            async with asyncio.timeout(PATIENCE if self._room.locked() else None):
                await self._room.acquire()
        except TimeoutError as error:
            raise DatabaseBusy(_NONE_FREE) from error
        try:
            session = await self._open_session()
            try:
                yield session
            finally:
                await self._pool.putconn(session)
        finally:
            self._room.release()

    async def _open_session(self) -> Session:
        try:
            session = await self._pool.getconn()
            while _hung_up(session):
                await session.close()
                await self._pool.putconn(session)
                session = await self._pool.getconn()
        except PoolTimeout as error:
            raise DatabaseBusy(_NONE_FREE) from error
        return session


class _PostgresTx(Statements):
    """Statements on one session."""

    engine: Engine = "postgres"

    def __init__(self, database: PostgresDatabase, session: Session) -> None:
        self._database = database
        self._session = session
        self._cursor = session.cursor(binary=True)
        self.wakes: list[Wake] = []
        self.wrote = False

    async def fetch(self, sql: str, bound: Mapping[str, Value]) -> Rows:
        cursor = await self._execute(sql, bound)
        # `cursor.description` would tell as well, after describing every column in Python.
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
        with spelled():
            await self._session.cursor().executemany(
                cast("LiteralString", statement.text), [statement.arguments(bound) for bound in each]
            )

    @asynccontextmanager
    async def savepoint(self) -> AsyncGenerator[None]:
        async with self._session.transaction():
            yield

    def after_commit(self, wake: Wake, /) -> None:
        self.wakes.append(wake)

    async def _execute(self, sql: str, bound: Mapping[str, Value]) -> psycopg.AsyncCursor[tuple[Any, ...]]:
        statement = text.postgres(sql)
        self._database.statements += 1
        with spelled():
            return await self._cursor.execute(cast("LiteralString", statement.text), statement.arguments(bound))


def _hung_up(session: Session) -> bool:
    """Whether the server closed this session while it was idle, as it does when it restarts: only then it says something."""
    if session.closed:
        return True
    if session.pgconn.transaction_status == TransactionStatus.ACTIVE:  # what it says is an answer
        return False
    line = poll()
    line.register(session.fileno(), POLLIN)
    return bool(line.poll(0))


async def _configure(session: Session) -> None:
    """Integers are int8 and text is text whatever their value, so that each text is prepared once."""
    session.prepared_max = 1000
    for dumper in (Int8Dumper, Int8BinaryDumper):
        session.adapters.register_dumper(int, dumper)
    for dumper in (StrDumper, StrBinaryDumper):
        session.adapters.register_dumper(str, dumper)


def _with_options(url: str, options: Mapping[str, str]) -> str:
    """The address with our session options before the operator's own, which win."""
    ours = " ".join(f"-c {name}={value}" for name, value in options.items())
    theirs = conninfo_to_dict(url).get("options") or ""
    return make_conninfo(url, options=f"{ours} {theirs}".strip())
