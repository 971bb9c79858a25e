"""Stores the rows of a set in an empty database of either engine, whole or not at all."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, LiteralString, Protocol, cast

import apsw

from mujina.backups.errors import BackupError
from mujina.backups.rows import BATCH, SEQUENCES, Table, quoted, select, sqlite_rows, sqlite_table
from mujina.kernel import deferred_imports
from mujina.kernel.db.sqlite.connection import connect as connect_sqlite
from mujina.kernel.db.transaction import Engine
from mujina.kernel.storage.fsync import fsync_file
from mujina.migrations.revisions import CREATE_REVISION, statements

StoredTable = Callable[[Table], Iterable[tuple[Any, ...]]]
"""Reads the rows of a table that were stored."""
Check = Callable[[StoredTable], None]
"""Raises an error if what was stored is not to be kept."""


class RowSource(Protocol):
    """The rows of a database that are to be stored."""

    revisions: list[str]
    counters: dict[str, int]

    def tables(self) -> Iterator[tuple[str, Sequence[str], Iterable[tuple[Any, ...]]]]:
        """The name, the columns and the rows of each table."""
        ...


def fill_sqlite(path: Path, source: RowSource, check: Check | None = None) -> None:
    """The database file has exactly these rows; it appears when it is complete, in place of any other."""
    draft = path.with_name(f"{path.name}.restored")
    for name in (draft, *_beside(draft)):
        name.unlink(missing_ok=True)
    draft.touch(mode=0o600)  # it may be in a folder that others read
    connection = connect_sqlite(draft)
    try:
        connection.execute("PRAGMA foreign_keys = OFF; PRAGMA synchronous = OFF; BEGIN")
        _create(connection.execute, source.revisions, "sqlite")
        connection.config(apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER, 0)  # the rows have what triggers keep
        for name, columns, rows in source.tables():
            target = sqlite_table(connection, name)
            _check_columns(name, columns, target.columns)
            marks = ", ".join("?" * len(columns))
            listed = ", ".join(map(quoted, columns))
            connection.execute(f"DELETE FROM {quoted(name)}")
            connection.executemany(f"INSERT INTO {quoted(name)} ({listed}) VALUES ({marks})", rows)
        _rebuild_indexes(connection)
        _set_counters(connection, source.counters)
        connection.execute("COMMIT")
        _check_sqlite(connection)
        if check is not None:
            check(lambda table: cast("Any", connection.execute(select(table))))
        connection.execute("PRAGMA journal_mode = DELETE").fetchall()
    finally:
        connection.close()
    fsync_file(draft, path.parent)
    for name in _beside(path):
        name.unlink(missing_ok=True)
    draft.replace(path)
    fsync_file(path, path.parent)


def _beside(path: Path) -> list[Path]:
    return [path.with_name(f"{path.name}-{suffix}") for suffix in ("wal", "shm", "journal")]


def _create(execute: Any, revisions: Sequence[str], engine: Engine) -> None:
    """The empty tables, as these revisions made them."""
    execute(CREATE_REVISION)
    for revision in revisions:
        for statement in statements(revision, engine):
            execute(statement)


def _check_columns(name: str, columns: Sequence[str], found: Sequence[str]) -> None:
    if set(columns) != set(found):
        raise BackupError(f"The table {name} of the set has other columns than that of its schema.")


def _rebuild_indexes(connection: apsw.Connection) -> None:
    """The indexes of texts are not among the tables: they are made of the rows."""
    for (name,) in sqlite_rows(connection, "SELECT name FROM pragma_table_list WHERE type = 'virtual'"):
        connection.execute(f"INSERT INTO {quoted(name)} ({quoted(name)}) VALUES ('rebuild')")


def _set_counters(connection: apsw.Connection, counters: Mapping[str, int]) -> None:
    """No id is given twice, though its row is gone."""
    for name, count in counters.items():
        stored = sqlite_rows(connection, "SELECT seq FROM sqlite_sequence WHERE name = ?", name)
        connection.execute("DELETE FROM sqlite_sequence WHERE name = ?", (name,))
        highest = max([count, *(seq for (seq,) in stored)])
        connection.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", (name, highest))


def _check_sqlite(connection: apsw.Connection) -> None:
    if broken := sqlite_rows(connection, "PRAGMA foreign_key_check"):
        raise BackupError(f"The table {broken[0][0]} of the set refers to rows that the set lacks.")
    if (found := sqlite_rows(connection, "PRAGMA quick_check(1)")) != [("ok",)]:
        raise BackupError(f"The restored database is not sound: {found[0][0]}.")


_FOREIGN_KEYS: LiteralString = """
    SELECT c.conrelid::regclass::text, c.conname, pg_get_constraintdef(c.oid) FROM pg_constraint c
    WHERE c.contype = 'f' AND c.connamespace = current_schema()::regnamespace ORDER BY 1, 2"""
_TYPES: LiteralString = """
    SELECT a.attname, format_type(a.atttypid, NULL) FROM pg_attribute a
    WHERE a.attrelid = to_regclass(%s) AND a.attnum > 0 AND NOT a.attisdropped"""


def fill_postgres(url: str, source: RowSource, mark: str, check: Check | None = None) -> None:
    """The empty database has exactly these rows, and the mark (see `is_marked`), in one transaction."""
    driver = deferred_imports.psycopg()
    with deferred_imports.postgres_errors().translated_errors(), driver.connect(url) as connection:
        try:
            _create(connection.execute, source.revisions, "postgres")
        except (driver.errors.UniqueViolation, driver.errors.DuplicateTable):
            raise BackupError("The database was filled meanwhile: give an empty one.") from None
        foreign_keys = connection.execute(_FOREIGN_KEYS).fetchall()
        for table, name, _ in foreign_keys:
            connection.execute(_sql(f"ALTER TABLE {table} DROP CONSTRAINT {quoted(name)}"))
        for name, columns, rows in source.tables():
            _copy(connection, name, columns, rows)
        for table, name, definition in foreign_keys:  # checks every row
            connection.execute(_sql(f"ALTER TABLE {table} ADD CONSTRAINT {quoted(name)} {definition}"))
        for table, column, sequence in connection.execute(SEQUENCES).fetchall():
            highest = f"greatest(max({quoted(column)}), {source.counters.get(table, 0)})"
            connection.execute(
                _sql(f"SELECT setval('{sequence}', greatest({highest}, 1), {highest} > 0) FROM {quoted(table)}")
            )
        if check is not None:
            check(partial(_stored_rows, connection))
        connection.execute(_sql(f"COMMENT ON TABLE schema_revision IS '{mark}'"))


def _stored_rows(connection: Any, table: Table) -> Iterator[tuple[Any, ...]]:
    with connection.cursor("stored") as cursor:
        cursor.itersize = BATCH
        cursor.execute(_sql(select(table)))
        yield from cursor


def is_marked(url: str, mark: str) -> bool:
    """Whether `fill_postgres` filled this database with this mark."""
    with deferred_imports.psycopg().connect(url) as connection:
        return connection.execute("SELECT obj_description(to_regclass('schema_revision'))").fetchall() == [(mark,)]


def _copy(connection: Any, name: str, columns: Sequence[str], rows: Iterable[tuple[Any, ...]]) -> None:
    types = dict(cast("list[tuple[str, str]]", connection.execute(_TYPES, (quoted(name),)).fetchall()))
    if not types:
        if next(iter(rows), None) is None:  # SQLite has a table that PostgreSQL does not need
            return
        raise BackupError(f"The schema of the set has no table {name}.")
    _check_columns(name, columns, list(types))
    booleans = [position for position, column in enumerate(columns) if types[column] == "boolean"]
    listed = ", ".join(map(quoted, columns))
    connection.execute(_sql(f"ALTER TABLE {quoted(name)} DISABLE TRIGGER USER"))  # the rows have what triggers keep
    connection.execute(_sql(f"DELETE FROM {quoted(name)}"))
    with (
        connection.cursor() as cursor,
        cursor.copy(_sql(f"COPY {quoted(name)} ({listed}) FROM STDIN (FORMAT BINARY)")) as copy,
    ):
        copy.set_types([types[column] for column in columns])
        for row in rows:
            values = list(row)
            for position in booleans:
                if values[position] is not None:
                    values[position] = bool(values[position])
            copy.write_row(values)
    connection.execute(_sql(f"ALTER TABLE {quoted(name)} ENABLE TRIGGER USER"))


def _sql(text: str) -> LiteralString:
    return cast("LiteralString", text)
