"""Reads all rows of a database as of one instant, in a form that either engine can store again."""

from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final, LiteralString, NamedTuple, Protocol, cast

import apsw

from mujina.backups.errors import BackupError
from mujina.kernel import deferred_imports
from mujina.kernel.db.sqlite.connection import BUSY_TIMEOUT
from mujina.kernel.db.sqlite.connection import connect as connect_sqlite
from mujina.kernel.db.transaction import Engine

BATCH: Final = 2_000
"""Rows that the server is asked for at a time."""


class Table(NamedTuple):
    name: str
    columns: Sequence[str]
    key: Sequence[str]
    """The columns of the primary key."""


class DatabaseSnapshot(Protocol):
    """A database as of one instant, while others write to it."""

    engine: Engine

    def tables(self) -> list[Table]: ...

    def rows(self, table: Table) -> Iterator[tuple[Any, ...]]:
        """All rows of the table, in the order of its primary key."""
        ...

    def values(self, sql: str) -> list[Any]:
        """The rows of a query, as of that instant."""
        ...

    def current(self, sql: str) -> list[Any]:
        """The rows of a query, as of now."""
        ...

    def counters(self) -> dict[str, int]:
        """The highest id that each table ever gave."""
        ...

    def close(self) -> None: ...


@contextmanager
def open_snapshot(url: str) -> Generator[DatabaseSnapshot]:
    """The database at this URL as of now; `DatabaseUnavailable` if its server goes away meanwhile."""
    if url.startswith("sqlite:///"):
        with closing(SqliteSnapshot(Path(url.removeprefix("sqlite:///")))) as snapshot:
            yield snapshot
    else:
        with deferred_imports.postgres_errors().translated_errors(), closing(PostgresSnapshot(url)) as snapshot:
            yield snapshot


def select(table: Table) -> str:
    """The query of all rows of the table, in the order of its primary key."""
    order = f" ORDER BY {_names(table.key)}" if table.key else ""
    return f"SELECT {_names(table.columns)} FROM {quoted(table.name)}{order}"


def _names(names: Sequence[str]) -> str:
    return ", ".join(map(quoted, names))


def quoted(name: str) -> str:
    """The name as SQL has it."""
    return f'"{name}"'


class SqliteSnapshot:
    """A read transaction: in WAL mode, it blocks no writer."""

    engine: Engine = "sqlite"

    def __init__(self, path: Path) -> None:
        self._connection, self._other = connect_sqlite(path, read_only=True), connect_sqlite(path, read_only=True)
        for connection in (self._connection, self._other):
            connection.set_busy_timeout(int(BUSY_TIMEOUT * 1000))
        self._connection.execute("BEGIN")
        self.values("SELECT revision FROM schema_revision")  # from here on it sees this state

    def tables(self) -> list[Table]:
        names = self.values(
            "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%'"
            " ORDER BY name"
        )
        return [sqlite_table(self._connection, name) for (name,) in names]

    def rows(self, table: Table) -> Iterator[tuple[Any, ...]]:
        yield from cast("Iterator[tuple[Any, ...]]", self._connection.execute(select(table)))

    def values(self, sql: str) -> list[Any]:
        return sqlite_rows(self._connection, sql)

    def current(self, sql: str) -> list[Any]:
        return sqlite_rows(self._other, sql)

    def counters(self) -> dict[str, int]:
        return dict(self.values("SELECT name, seq FROM sqlite_sequence ORDER BY name"))

    def close(self) -> None:
        self._connection.close()
        self._other.close()


def sqlite_rows(connection: apsw.Connection, sql: str, *values: str) -> list[Any]:
    """The rows of a query."""
    return cast("Any", connection.execute(sql, values)).fetchall()


def sqlite_table(connection: apsw.Connection, name: str) -> Table:
    """The columns of a table, and its primary key."""
    columns = sqlite_rows(connection, "SELECT name, pk FROM pragma_table_info(?) ORDER BY cid", name)
    key = sorted((position, column) for column, position in columns if position)
    return Table(name, [column for column, _ in columns], [column for _, column in key])


_TABLES: LiteralString = """
    SELECT c.relname, array_agg(a.attname::text ORDER BY a.attnum),
        coalesce((SELECT array_agg(k.attname::text ORDER BY array_position(i.indkey::int2[], k.attnum))
            FROM pg_index i JOIN pg_attribute k ON k.attrelid = c.oid AND k.attnum = ANY (i.indkey::int2[])
            WHERE i.indrelid = c.oid AND i.indisprimary), '{}')
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace
    GROUP BY c.oid, c.relname ORDER BY c.relname"""
SEQUENCES: LiteralString = """
    SELECT t.relname, a.attname, s.oid::regclass::text
    FROM pg_class s JOIN pg_depend d ON d.objid = s.oid AND d.classid = 'pg_class'::regclass AND d.deptype = 'a'
    JOIN pg_class t ON t.oid = d.refobjid JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = d.refobjsubid
    WHERE s.relkind = 'S' AND t.relnamespace = current_schema()::regnamespace ORDER BY t.relname"""
"""The table and column of each sequence."""


class PostgresSnapshot:
    """A transaction that reads what was committed when it began; it blocks no writer."""

    engine: Engine = "postgres"

    def __init__(self, url: str) -> None:
        driver = deferred_imports.psycopg()
        self._connection, self._other = driver.connect(url), driver.connect(url, autocommit=True)
        self._connection.isolation_level = driver.IsolationLevel.REPEATABLE_READ
        self._connection.read_only = True
        if self.values("SELECT pg_is_in_recovery()") == [(True,)]:  # from here on it sees this state
            raise BackupError("This database is a replica, that of a secondary: run this on the primary.")

    def tables(self) -> list[Table]:
        return [Table(*row) for row in self.values(_TABLES)]

    def rows(self, table: Table) -> Iterator[tuple[Any, ...]]:
        with self._connection.cursor("rows") as cursor:
            cursor.itersize = BATCH
            cursor.execute(cast("LiteralString", select(table)))
            yield from cursor

    def values(self, sql: str) -> list[Any]:
        return self._connection.execute(cast("LiteralString", sql)).fetchall()

    def current(self, sql: str) -> list[Any]:
        return self._other.execute(cast("LiteralString", sql)).fetchall()

    def counters(self) -> dict[str, int]:
        found = dict[str, int]()
        for table, _, sequence in self.values(SEQUENCES):
            ((last, called),) = self.values(f"SELECT last_value, is_called FROM {sequence}")
            found[table] = last if called else 0
        return found

    def close(self) -> None:
        self._connection.close()
        self._other.close()
