"""The state of a PostgreSQL database: its rows are kept in a schema beside, and a function of that schema restores them.

Deleting and inserting rows by a prepared function takes milliseconds for a small world. `TRUNCATE` and a new database from a
template both create files, for each table and each index (docs/decisions/0033-the-testing-mode-restores-states.md has the figures).
"""

import asyncio
import time
from hashlib import sha256
from itertools import count
from typing import Any, Final, LiteralString, cast

from psycopg import AsyncConnection, Connection
from psycopg.errors import InsufficientPrivilege, OperationalError
from psycopg.sql import SQL, Composable, Composed, Identifier, Literal

from mujina.cli.errors import CommandError
from mujina.kernel.services import Services
from mujina.migrations.revisions import VERSIONS, known

MARKER: Final = "mujina_testing"
"""The schema that tells a database of the testing mode from any other."""
LOCK: Final = 0x6D756A69
"""The advisory lock of the server that uses the database."""
POLL_SECONDS: Final = 0.01
MAX_LOCK_POLLS: Final = 300
_locking: Final = list[Connection[Any]]()
"""The sessions that keep locks."""
MAX_POLLS: Final = 100
"""A session that is in a transaction for longer is not one of this server: a test left it open, and it is ended."""
_COLUMNS: LiteralString = """
    SELECT t.relname, string_agg(quote_ident(c.attname), ', ' ORDER BY c.attnum), pg_relation_size(t.oid) > 0
    FROM pg_class t JOIN pg_attribute c ON c.attrelid = t.oid
    WHERE t.relnamespace = CAST('public' AS regnamespace) AND t.relkind = 'r'
    AND c.attnum > 0 AND NOT c.attisdropped AND c.attgenerated = ''
    GROUP BY t.oid, t.relname ORDER BY t.relname"""
"""The tables with their columns, and whether any row was ever written; the views of `information_schema` take ten times as long."""
_SEQUENCES: LiteralString = """
    SELECT s.sequencename, coalesce(s.last_value, s.start_value), s.last_value IS NOT NULL
    FROM pg_sequences s WHERE s.schemaname = 'public' ORDER BY s.sequencename"""
_IN_TRANSACTION: LiteralString = """
    FROM pg_stat_activity a WHERE a.datname = current_database() AND a.pid <> pg_backend_pid()
    AND a.backend_type = 'client backend' AND a.state <> 'idle'"""


_DROP_ALL: Final = """
    DO $$ DECLARE found record; BEGIN
        FOR found IN SELECT format('DROP TABLE public.%I CASCADE', t.tablename) AS statement
            FROM pg_tables t WHERE t.schemaname = 'public'
        LOOP EXECUTE found.statement; END LOOP;
        FOR found IN SELECT format('DROP ROUTINE %s CASCADE', r.oid::regprocedure) AS statement
            FROM pg_proc r WHERE r.pronamespace = 'public'::regnamespace
            AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = r.oid AND d.deptype = 'e')
        LOOP EXECUTE found.statement; END LOOP;
    END $$"""
"""Everything of the schema but extensions, which the role may not be allowed to create."""
_DELETE_ALL: Final = """
    DO $$ DECLARE found record; BEGIN
        FOR found IN SELECT format('DELETE FROM public.%I', t.tablename) AS statement
            FROM pg_tables t WHERE t.schemaname = 'public' AND t.tablename <> 'schema_revision'
        LOOP EXECUTE found.statement; END LOOP;
        PERFORM setval(format('public.%I', s.sequencename)::regclass, s.start_value, FALSE)
            FROM pg_sequences s WHERE s.schemaname = 'public';
    END $$"""
"""A database as the revisions leave it, which write no other row; in a fiftieth of the time that creating it takes."""


def lock(url: str) -> None:
    """Lock the database until this process ends; a server that has just ended may keep it for a moment."""
    try:
        session = Connection[Any].connect(url, autocommit=True)
    except OperationalError as error:
        raise CommandError(f"PostgreSQL cannot be used: {' '.join(str(error).split())}") from None
    _locking.append(session)
    for _ in range(MAX_LOCK_POLLS):
        if session.execute(SQL("SELECT 1 WHERE pg_try_advisory_lock({})").format(Literal(LOCK))).fetchone():
            return
        time.sleep(POLL_SECONDS)
    raise CommandError("Another server of the testing mode uses this database: stop it, or name another.")


async def prepare(url: str, *, anew: bool) -> None:
    """Mark a database that is empty, and forget the states that an earlier run kept; any other is refused.

    `anew`: the data folder is a new one, so what an earlier run left in the database goes as well.
    """
    async with await AsyncConnection.connect(url, autocommit=True) as connection:
        kept = [name for (name,) in await _rows(connection, SQL("SELECT nspname FROM pg_namespace"))]
        tables = await _rows(connection, SQL("SELECT 1 FROM pg_tables WHERE schemaname = 'public' LIMIT 1"))
        if MARKER not in kept and tables:
            raise CommandError(
                "The database was not made by --testing, which deletes what is in it: name an empty one."
            )
        try:
            await connection.execute("SET session_replication_role = replica")
        except InsufficientPrivilege:
            raise CommandError(
                "--testing needs a superuser of PostgreSQL, or GRANT SET ON PARAMETER session_replication_role."
            ) from None
        for name in kept:
            if name.startswith(f"{MARKER}_"):
                await connection.execute(SQL("DROP SCHEMA {} CASCADE").format(Identifier(name)))
        # These rows are not needed after a power cut: no commit and no reset waits for the disk.
        quick = SQL("ALTER ROLE CURRENT_USER IN DATABASE {} SET synchronous_commit = off")
        await connection.execute(quick.format(Identifier(connection.info.dbname)))
        schema = Identifier(MARKER)
        if anew:
            await connection.execute(_DELETE_ALL if tables and await _has_newest_schema(connection) else _DROP_ALL)
        await connection.execute(SQL("CREATE SCHEMA IF NOT EXISTS {}").format(schema))
        if anew:
            await connection.execute(SQL("COMMENT ON SCHEMA {} IS {}").format(schema, Literal(_checksum())))


async def _has_newest_schema(connection: AsyncConnection[Any]) -> bool:
    """Whether the revisions as they are now made the tables; the comment of the marker says which ones began."""
    comment = SQL("SELECT obj_description({}::regnamespace, 'pg_namespace')").format(Literal(MARKER))
    if await _rows(connection, comment) != [(_checksum(),)]:
        return False
    return await _rows(connection, SQL("SELECT revision FROM public.schema_revision")) == [(" ".join(known()),)]


def _checksum() -> str:
    return sha256(b"".join(path.read_bytes() for path in sorted(VERSIONS.glob("*.postgres.sql")))).hexdigest()


async def _rows(connection: AsyncConnection[Any], statement: SQL | Composed) -> list[tuple[Any, ...]]:
    return await (await connection.execute(statement)).fetchall()


async def _filled(connection: AsyncConnection[Any], tables: list[str]) -> set[str]:
    """Those of these tables that have rows, found by one statement."""
    if not tables:
        return set()
    looks = (SQL("SELECT {} WHERE EXISTS (SELECT 1 FROM {})").format(t, Identifier("public", t)) for t in tables)
    return {name for (name,) in await _rows(connection, SQL(" UNION ALL ").join(looks))}


class PostgresState:
    """Keeps and restores the rows of one database, by a connection that no trigger and no foreign key concerns."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._numbers = count(1)
        self._opened: AsyncConnection[Any] | None = None

    async def _connection(self) -> AsyncConnection[Any]:
        if self._opened is None:
            self._opened = await AsyncConnection.connect(self._url, autocommit=True)
            await self._opened.execute("SET session_replication_role = replica")
        return self._opened

    async def keep(self) -> str:
        """The name of the schema that has the rows as they are now."""
        connection = await self._connection()
        name = f"{MARKER}_{next(self._numbers)}"
        schema, steps = Identifier(name), list[Composable]()
        copies = [SQL("CREATE SCHEMA {}").format(schema)]
        tables = await _rows(connection, SQL(_COLUMNS))
        filled = await _filled(connection, [table for table, _, written in tables if written])
        for table, columns, _ in tables:
            source, copy = Identifier("public", table), Identifier(name, table)
            steps.append(SQL("IF EXISTS (SELECT 1 FROM {0}) THEN DELETE FROM {0}; END IF").format(source))
            if table in filled:
                copies.append(SQL("CREATE TABLE {} AS SELECT * FROM {}").format(copy, source))
                listed = SQL(cast("LiteralString", columns))
                insert = SQL("INSERT INTO {0} ({1}) OVERRIDING SYSTEM VALUE SELECT {1} FROM {2}")
                steps.append(insert.format(source, listed, copy))
        sequences = [
            SQL("setval({}, {}, {})").format(
                Literal(Identifier("public", sequence).as_string(connection)), value, called
            )
            for sequence, value, called in await _rows(connection, SQL(_SEQUENCES))
        ]
        steps.append(SQL("PERFORM {}").format(SQL(", ").join(sequences)))
        body = SQL("BEGIN {}; END").format(SQL("; ").join(steps)).as_string(connection)
        function = SQL("CREATE FUNCTION {}.restore() RETURNS void LANGUAGE plpgsql AS {}")
        await connection.execute(SQL("; ").join([*copies, function.format(schema, Literal(body))]))
        return name

    async def restore(self, kept: str) -> None:
        """The rows are again as they were; a statement that was interrupted ends first."""
        connection = await self._connection()
        for _ in range(MAX_POLLS):
            if not await _rows(connection, SQL(f"SELECT 1 {_IN_TRANSACTION}")):
                break
            await asyncio.sleep(POLL_SECONDS)
        else:
            await connection.execute(SQL(f"SELECT pg_terminate_backend(a.pid) {_IN_TRANSACTION}"))
        await connection.execute(SQL("SELECT {}.restore()").format(Identifier(kept)))


def state_of(services: Services) -> PostgresState:
    """The state of the database of these services."""
    return PostgresState(services.settings.database)
