"""The state of an SQLite database, kept and restored by its log.

From the start of the mode on, nothing is copied from the log into the database file. So the log and its index are all that
changes, and an earlier state is restored by writing both files as they were. Unlike a copy by SQLite's backup, this lets
every connection keep its parsed schema and its prepared statements
(docs/decisions/0033-the-testing-mode-restores-states.md has the figures).
"""

from pathlib import Path
from typing import NamedTuple, cast

from mujina.kernel.db.sqlite.database import SqliteDatabase
from mujina.kernel.services import Services


class LogContent(NamedTuple):
    """The bytes of the log and of its index."""

    log: bytes
    log_index: bytes


class SqliteState:
    """Keeps and restores the rows of one database that this process alone writes."""

    def __init__(self, database: SqliteDatabase) -> None:
        self._database = database
        self._files = [Path(f"{database.path}{suffix}") for suffix in ("-wal", "-shm")]
        database.keep_log()

    async def keep(self) -> LogContent:
        """The rows as they are now."""
        async with self._database.idle():
            return LogContent(*(file.read_bytes() for file in self._files))

    async def restore(self, kept: LogContent) -> None:
        """The rows are again as they were; each connection notices before its next statement."""
        async with self._database.idle():
            for path, content in zip(self._files, kept, strict=True):
                with path.open("r+b") as file:
                    file.write(content)


def state_of(services: Services) -> SqliteState:
    """The state of the database of these services."""
    return SqliteState(cast("SqliteDatabase", services.database))
