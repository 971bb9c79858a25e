"""One connection to an SQLite file with Mujina's settings, and one statement on it."""

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from random import uniform
from time import monotonic, sleep
from typing import TypeVar

import apsw

from mujina.kernel.db import iids
from mujina.kernel.db.errors import DatabaseBusy, DatabaseError, ForeignKeyViolation, UniqueViolation
from mujina.kernel.db.sql import text
from mujina.kernel.db.statements import Rows
from mujina.kernel.db.transaction import Value

Result = TypeVar("Result")

BUSY_TIMEOUT = 30.0
"""Seconds to wait for another process to unlock the file."""

MAX_RETRY_DELAY = 0.001
"""Seconds between two attempts at a file that another process has locked."""

# The memory that SQLite uses is not read; counting it takes a lock for every allocation.
apsw.shutdown()
apsw.config(apsw.SQLITE_CONFIG_MEMSTATUS, False)
apsw.initialize()

# The file is mapped, so the cache of a connection holds only what the log has: 4 MB instead of 16 saved 13 MB of a busy server.
_SETUP = """
PRAGMA journal_mode = WAL;
PRAGMA synchronous = FULL;
PRAGMA foreign_keys = ON;
PRAGMA trusted_schema = OFF;
PRAGMA cache_size = -4096;
PRAGMA journal_size_limit = 67108864;
PRAGMA temp_store = MEMORY;
"""

_FLAGS = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE


MAX_MAPPED = 2**31 - 2**16
"""Bytes: the most that SQLite can map into memory."""


def connect(path: Path, *, read_only: bool = False, mapped: int = 2**28) -> apsw.Connection:
    """A durable connection with foreign keys and stable plans; only its setup waits for other processes.

    `mapped` bytes of the file are read in place instead of being copied.
    """
    connection = apsw.Connection(str(path), flags=_FLAGS, statementcachesize=1024)
    connection.set_busy_timeout(int(BUSY_TIMEOUT * 1000))
    # One plan per statement, whatever is bound: no value causes a new preparation.
    connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
    # As on PostgreSQL: "double quotes" name a column, LIKE is case-sensitive.
    connection.config(apsw.SQLITE_DBCONFIG_DQS_DML, 0)
    connection.config(apsw.SQLITE_DBCONFIG_DQS_DDL, 0)
    connection.execute("PRAGMA case_sensitive_like = ON").fetchall()
    _set_up(connection)
    connection.execute(f"PRAGMA mmap_size = {mapped}").fetchall()
    iids.register_function(connection)
    if read_only:
        connection.execute("PRAGMA query_only = ON").fetchall()
    connection.set_busy_timeout(0)
    return connection


def _set_up(connection: apsw.Connection) -> None:
    """The settings of a connection. Of two that change the journal of a new file at once, SQLite lets one fail, not wait."""
    deadline = monotonic() + BUSY_TIMEOUT
    while True:
        try:
            connection.execute(_SETUP).fetchall()
        except apsw.BusyError:
            if monotonic() > deadline:
                raise
            sleep(uniform(0.001, 0.01))  # noqa: S311 - guards no secret
        else:
            return


def fetch(connection: apsw.Connection, sql: str, bound: Mapping[str, Value]) -> Rows:
    """Run one statement to its end; its rows."""
    statement = text.sqlite(sql)
    try:
        # No cast: it is a call for every statement.
        return connection.execute(statement.text, statement.arguments(bound)).fetchall()  # pyright: ignore[reportUnknownVariableType]
    except apsw.ConstraintError as error:
        raise _translated(error) from error


async def retry_while_busy(attempt: Callable[[], Result]) -> Result:
    """The result of `attempt`, which is repeated while another process has locked the file; the event loop goes on."""
    deadline = monotonic() + BUSY_TIMEOUT
    delay = MAX_RETRY_DELAY / 2
    while True:
        try:
            return attempt()
        except apsw.BusyError as error:
            if monotonic() > deadline:
                raise DatabaseBusy("Another process has held the database for too long.") from error
        await asyncio.sleep(uniform(delay / 2, delay))  # noqa: S311 - guards no secret
        delay = min(delay * 1.5, MAX_RETRY_DELAY)


def _translated(error: apsw.ConstraintError) -> DatabaseError | apsw.Error:
    """A violated unique or foreign key constraint as our error; any other error is a bug and stays as it is."""
    # "UNIQUE constraint failed: labels.project_id, labels.title"; "FOREIGN KEY constraint failed"
    kind, _, names = str(error).partition(" constraint failed")
    if kind == "FOREIGN KEY":
        return ForeignKeyViolation()
    if kind != "UNIQUE":
        return error
    columns = [name.split(".") for name in names.removeprefix(": ").split(", ")]
    return UniqueViolation(columns[0][0], tuple(column for _, column in columns))
