"""Copies the rows of a database into an empty one of either engine, which has them all, verified, or stays empty."""

from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from mujina.adapters.file_locks import locked_folder
from mujina.backups.errors import BackupError
from mujina.backups.filling import StoredTable, fill_postgres, fill_sqlite
from mujina.backups.parts import Progress
from mujina.backups.rows import DatabaseSnapshot, open_snapshot
from mujina.kernel.db.connect import sqlite_file
from mujina.kernel.db.transaction import Database
from mujina.migrations.revisions import known


async def any_table(database: Database) -> str | None:
    """The name of a table of this database of PostgreSQL; None if it is empty."""
    async with database.reading() as tx:
        return await tx.value("SELECT tablename FROM pg_tables WHERE schemaname = current_schema() LIMIT 1")


class TableSum(NamedTuple):
    """How many rows a table has, and a checksum of them that does not depend on their order."""

    rows: int = 0
    checksum: int = 0

    def with_row(self, row: Sequence[Any]) -> "TableSum":
        """The sum with one row more."""
        return TableSum(self.rows + 1, (self.checksum + _checksum(row)) % 2**128)


def copy_database(source: str, target: str, progress: Progress) -> int:
    """The empty database `target` has the rows of `source` as of one instant; returns their number."""
    with open_snapshot(source) as snapshot:
        copied = CopiedRows(snapshot, progress)
        if file := sqlite_file(target):
            _fill_file(file, copied)
        else:
            fill_postgres(target, copied, "", copied.check)
    return sum(each.rows for each in copied.sums.values())


def _fill_file(file: Path, copied: "CopiedRows") -> None:
    """The lock of the folder tells others that the draft in it is being written."""
    try:
        with locked_folder(file.absolute().parent):
            if file.exists():
                raise BackupError(f"TO: the file {file} exists: name one that does not.")
            fill_sqlite(file, copied, copied.check)
    except BlockingIOError:
        raise BackupError(f"Another command fills a database in {file.absolute().parent}: wait for its end.") from None


class CopiedRows:
    """The rows of a snapshot, which are summed up while they are read."""

    def __init__(self, snapshot: DatabaseSnapshot, progress: Progress) -> None:
        self.revisions, self.counters = known(), snapshot.counters()
        self.sums = dict[str, TableSum]()
        self._snapshot, self._progress = snapshot, progress

    def tables(self) -> Iterator[tuple[str, Sequence[str], Iterable[tuple[Any, ...]]]]:
        tables = self._snapshot.tables()
        for done, table in enumerate(tables, 1):
            self.sums[table.name] = TableSum()
            yield table.name, table.columns, self._summed(table.name, self._snapshot.rows(table))
            self._progress("copy", done, len(tables))

    def _summed(self, name: str, rows: Iterator[tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
        for row in rows:
            self.sums[name] = self.sums[name].with_row(row)
            yield row

    def check(self, stored: StoredTable) -> None:
        """Read what was stored, before others see it; `BackupError` names a table that differs."""
        tables = [table for table in self._snapshot.tables() if self.sums[table.name].rows]
        for done, table in enumerate(tables, 1):
            found = TableSum()
            for row in stored(table):
                found = found.with_row(row)
            if found != (wanted := self.sums[table.name]):
                raise BackupError(
                    f"The table {table.name} was not copied as it is: {wanted.rows} rows with the checksum "
                    f"{wanted.checksum:x} became {found.rows} with {found.checksum:x}. Nothing was stored."
                )
            self._progress("verify", done, len(tables))


def _checksum(row: Sequence[Any]) -> int:
    """A row has one checksum, whichever engine stores it."""
    values = [int(value) if isinstance(value, bool) else value for value in row]
    return int.from_bytes(blake2b(msgspec.msgpack.encode(values), digest_size=16).digest())
