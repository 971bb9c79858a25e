"""PostgreSQL: a pool of connections in UTC with prepared statements and stable plans."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import LiteralString

import psycopg
from psycopg import AsyncConnection
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.pq.abc import PGresult

from mujina.kernel.db.errors import DatabaseUnavailable
from mujina.kernel.db.postgres.connection import PostgresConnection
from mujina.kernel.db.postgres.errors import POOLED, connection_failure, translated_errors
from mujina.kernel.db.postgres.pool import CONNECT_SECONDS, PostgresPool
from mujina.kernel.db.sql import text
from mujina.kernel.db.statements import Rows, Statements, run_callbacks
from mujina.kernel.db.transaction import Callback, Engine, Tx, Value, contention_key
from mujina.kernel.product import Product
from mujina.settings import Settings

MIN_VERSION = 140000
"""The oldest supported server, in PostgreSQL's own numbering: 14."""

MAX_TOGETHER = 500
"""Statements that are sent to the server at once. Twenty thousand would keep the event loop for half a second."""

_TIMEOUT_OPTIONS = {
    "connect_timeout": CONNECT_SECONDS,
    "tcp_user_timeout": 4_000,  # milliseconds until a machine that does not acknowledge counts as gone
}
"""Parameters of a connection, unless the operator names others."""

_OPTIONS = {
    "plan_cache_mode": "force_generic_plan",
    "random_page_cost": "1.1",  # memory and flash: with the default, meant for disks, small tables are read from end to end
    "jit": "off",  # no statement here runs long enough to be worth compiling
    "parallel_setup_cost": "1e9",  # parallel workers take longer to start than a statement takes
    "default_transaction_isolation": "read\\ committed",
    "timezone": "UTC",
}
_SENT = "mujina.sent"
"""An option that tells whether the others arrive: a pooler may drop them."""
_TRANSACTIONS = {
    "lock_timeout": "3s",  # then 503 with Retry-After: a locked row must not keep its queue for as long as it is locked
}

_SEARCHING = """
    SELECT set_config('plan_cache_mode', 'force_custom_plan', TRUE), set_config('parallel_setup_cost', '1000', TRUE),
        set_config('work_mem', '64MB', TRUE)"""
"""For this transaction: plans for the values that are bound, parallel workers where the server has them, and memory for
all rows that may match."""


class PostgresDatabase:
    """One PostgreSQL database, shared by every process of every machine."""

    engine: Engine = "postgres"
    product: Product
    settings = Settings()

    def __init__(self, url: str, *, sessions: int = 12, pooler: str | None = None) -> None:
        self.statements = 0
        self._conninfo = _with_options(url, _OPTIONS)
        self._pooler = None if pooler is None else _with_options(pooler, {})
        pooled = self._pooler or _with_options(url, _OPTIONS | _TRANSACTIONS)
        self._pool = PostgresPool(pooled, sessions, direct=self._conninfo, prepares=pooler is None)

    async def open(self) -> None:
        """Connect to the server; a failure is a sentence for the operator."""
        try:
            async with await AsyncConnection.connect(self._conninfo, autocommit=True) as connection:
                version, encoding = connection.info.server_version, connection.info.parameter_status("server_encoding")
                sent = await (await connection.execute(f"SELECT current_setting('{_SENT}', true)")).fetchone()
        except psycopg.OperationalError as error:
            raise connection_failure(error, self._conninfo) from error
        if version < MIN_VERSION:
            raise DatabaseUnavailable(f"Mujina needs PostgreSQL 14 or later; this server is {version // 10000}.")
        if encoding != "UTF8":
            raise DatabaseUnavailable(f"Mujina needs a database with the encoding UTF8; this one has {encoding}.")
        if sent != ("on",):
            raise DatabaseUnavailable(POOLED)
        if self._pooler is not None:
            await _check_pooler(self._pooler)

    async def close(self) -> None:
        await self._pool.close()

    @asynccontextmanager
    async def reading(self) -> AsyncGenerator[Tx]:
        async with self._pool.reader() as connection:
            yield _PostgresTx(self, connection, reads_committed=True)

    @asynccontextmanager
    async def transaction(self) -> AsyncGenerator[Tx]:
        key = "/".join(contention_key.get().split("/", 5)[:5])
        async with self._pool.writer(key) as connection:
            tx = _PostgresTx(self, connection)
            with translated_errors():
                async with connection.lazy_transaction():
                    yield tx
        run_callbacks(tx.callbacks)

    @asynccontextmanager
    async def searching(self) -> AsyncGenerator[Tx]:
        async with self._pool.reader() as connection:
            with translated_errors():
                async with connection.lazy_transaction():
                    connection.queue(_SEARCHING, ())  # goes to the server with the first statement
                    yield _PostgresTx(self, connection, reads_committed=True)

    async def listen(self, channel: LiteralString, /) -> AsyncGenerator[None]:
        async with await AsyncConnection.connect(self._conninfo, autocommit=True) as connection:
            await connection.execute(f"LISTEN {channel}")
            yield
            async for _ in connection.notifies():
                yield


class _PostgresTx(Statements):
    """Statements on one connection."""

    engine: Engine = "postgres"

    def __init__(
        self, database: PostgresDatabase, connection: PostgresConnection, *, reads_committed: bool = False
    ) -> None:
        self.reads_committed = reads_committed
        self._database = database
        self._connection = connection
        self.callbacks: list[Callback] = []

    async def fetch(self, sql: str, bound: Mapping[str, Value]) -> Rows:
        result = await self._execute(sql, bound)
        if not result.nfields:
            return []
        return self._connection.rows(result)

    async def run(self, sql: LiteralString, /, **bound: Value) -> int:
        return (await self._execute(sql, bound)).command_tuples or 0

    async def run_each(self, sql: LiteralString, each: Sequence[Mapping[str, Value]], /) -> None:
        if not each:
            return
        statement = text.postgres(sql)
        self._database.statements += 1
        for position, bound in enumerate(each, 1):
            self._connection.queue(statement.text, statement.arguments(bound))
            if position % MAX_TOGETHER == 0:
                with translated_errors():
                    await self._connection.run_queued()

    @asynccontextmanager
    async def savepoint(self) -> AsyncGenerator[None]:
        with translated_errors():  # of statements that are queued, too
            async with self._connection.savepoint():
                yield

    def after_commit(self, callback: Callback, /) -> None:
        self.callbacks.append(callback)

    async def _execute(self, sql: str, bound: Mapping[str, Value]) -> PGresult:
        statement = text.postgres(sql)
        self._database.statements += 1
        arguments = statement.arguments(bound)
        try:
            return await self._connection.run(statement.text, arguments)
        except psycopg.Error:
            with translated_errors():
                raise


async def _check_pooler(conninfo: str) -> None:
    """`DatabaseUnavailable` unless sessions through the pooler have the settings that ours would ask for: it passes none on."""
    try:
        async with await AsyncConnection.connect(conninfo, prepare_threshold=None) as connection:
            found = await connection.execute(
                "SELECT current_setting('timezone'), current_setting('lock_timeout'), current_user, current_database()"
            )
            timezone, lock_timeout, user, name = await found.fetchone() or ("", "", "", "")
    except psycopg.OperationalError as error:
        raise connection_failure(error, conninfo) from error
    if timezone == "UTC" and lock_timeout != "0":
        return
    wanted = {name: value.replace("\\", "") for name, value in (_OPTIONS | _TRANSACTIONS).items()}
    lines = [f"ALTER ROLE {user} IN DATABASE {name} SET {option} = '{value}';" for option, value in wanted.items()]
    raise DatabaseUnavailable(
        "Sessions by database_pooler_url lack the settings that Mujina needs, because a pooler passes none on: run this "
        f"in psql, then RECONNECT in PgBouncer's console: {' '.join(lines)}"
    )


def _with_options(url: str, options: Mapping[str, str]) -> str:
    """The URL with our options before the operator's own, which take precedence."""
    ours = " ".join(f"-c {name}={value}" for name, value in options.items())
    ours += f" -c {_SENT}=on" if ours else ""
    theirs = conninfo_to_dict(url)
    timeouts = {name: value for name, value in _TIMEOUT_OPTIONS.items() if name not in theirs}
    given = f"{ours} {theirs.get('options') or ''}".strip()
    return make_conninfo(url, **timeouts, **({"options": given} if given else {}))
