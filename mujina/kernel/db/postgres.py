"""PostgreSQL behind the transaction both engines offer: a pool of prepared, plan-stable sessions in UTC."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from select import POLLIN, poll
from typing import Any, LiteralString, cast

import psycopg
from psycopg import AsyncConnection, AsyncRawCursor
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.types.numeric import Int8BinaryDumper, Int8Dumper
from psycopg.types.string import StrBinaryDumper, StrDumper
from psycopg_pool import AsyncConnectionPool, PoolTimeout

from mujina.kernel.db import text
from mujina.kernel.db.errors import Busy, DatabaseUnavailable
from mujina.kernel.db.postgres_errors import plainly, spelled
from mujina.kernel.db.statements import Rows, Statements, announce
from mujina.kernel.db.transaction import Engine, Tx, Value, Wake

OLDEST = 140000
"""The oldest server that is supported, as PostgreSQL counts: 14."""

_OPTIONS = {
    "plan_cache_mode": "force_generic_plan",
    "jit": "off",  # no statement here runs long enough to be worth compiling
    "parallel_setup_cost": "1e9",  # nor to wait for parallel workers: they take longer to start than a page takes
    "default_transaction_isolation": "read\\ committed",
    "timezone": "UTC",
}

_SEARCHING = """
    SET LOCAL plan_cache_mode = force_custom_plan;
    SET LOCAL parallel_setup_cost = 1000;
    SET LOCAL work_mem = '64MB'"""
"""Until the end of the transaction: plans for the very words asked for, worked on by several processes where the server
has them, with room to remember each row that may match."""

Session = AsyncConnection[tuple[Any, ...]]


class PostgresDatabase:
    """One PostgreSQL database, shared by every process of every machine."""

    engine: Engine = "postgres"

    def __init__(self, url: str, *, sessions: int = 10) -> None:
        self.statements = 0
        self._conninfo = _with_options(url)
        self._pool: AsyncConnectionPool[Session] = AsyncConnectionPool(
            self._conninfo,
            kwargs={"autocommit": True, "prepare_threshold": 2, "cursor_factory": AsyncRawCursor},
            min_size=1,
            max_size=sessions,
            timeout=30,
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

    @asynccontextmanager
    async def reading(self) -> AsyncGenerator[Tx]:
        async with self._session() as session:
            yield _PostgresTx(self, session)

    @asynccontextmanager
    async def transaction(self) -> AsyncGenerator[Tx]:
        async with self._session() as session:
            tx = _PostgresTx(self, session)
            with spelled():
                async with session.transaction():
                    yield tx
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

    @asynccontextmanager
    async def _session(self) -> AsyncGenerator[Session]:
        try:
            session = await self._pool.getconn()
            while _hung_up(session):
                await session.close()
                await self._pool.putconn(session)
                session = await self._pool.getconn()
        except PoolTimeout as error:
            raise Busy("No connection to the database became free in time.") from error
        try:
            yield session
        finally:
            await self._pool.putconn(session)


class _PostgresTx(Statements):
    """Statements on one session."""

    engine: Engine = "postgres"

    def __init__(self, database: PostgresDatabase, session: Session) -> None:
        self._database = database
        self._session = session
        self.wakes: list[Wake] = []

    async def fetch(self, sql: str, bound: Mapping[str, Value]) -> Rows:
        cursor = await self._execute(sql, bound)
        # `cursor.description` would tell as well, after describing every column in Python.
        return await cursor.fetchall() if cursor.pgresult and cursor.pgresult.nfields else []

    async def run(self, sql: LiteralString, /, **bound: Value) -> int:
        return (await self._execute(sql, bound)).rowcount

    async def run_each(self, sql: LiteralString, each: Sequence[Mapping[str, Value]], /) -> None:
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
            return await self._session.execute(
                cast("LiteralString", statement.text), statement.arguments(bound), binary=True
            )


def _hung_up(session: Session) -> bool:
    """Whether the server closed this session while it was idle, as it does when it restarts: only then it says something."""
    if session.closed:
        return True
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


def _with_options(url: str) -> str:
    """The address with our session options before the operator's own, which win."""
    ours = " ".join(f"-c {name}={value}" for name, value in _OPTIONS.items())
    theirs = conninfo_to_dict(url).get("options") or ""
    return make_conninfo(url, options=f"{ours} {theirs}".strip())
