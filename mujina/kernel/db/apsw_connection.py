"""One connection to an SQLite file, set up the one way Mujina uses it, and one statement run on it."""

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from random import uniform
from time import monotonic
from typing import TypeVar, cast

import apsw

from mujina.kernel.db import iids, text
from mujina.kernel.db.errors import DatabaseBusy, DatabaseError, ForeignKeyViolation, UniqueViolation
from mujina.kernel.db.statements import Rows
from mujina.kernel.db.transaction import Value

Result = TypeVar("Result")

PATIENCE = 30.0
"""Seconds to wait for another process to let go of the file."""

LONGEST_PAUSE = 0.001
"""Seconds between two attempts at a file that another process holds."""

_SETUP = """
PRAGMA journal_mode = WAL;
PRAGMA synchronous = FULL;
PRAGMA foreign_keys = ON;
PRAGMA trusted_schema = OFF;
PRAGMA cache_size = -16384;
PRAGMA journal_size_limit = 67108864;
PRAGMA temp_store = MEMORY;
"""

_FLAGS = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE


WHOLE = 2**31 - 2**16
"""Bytes: as much of a file as SQLite can map into memory."""


def connect(path: Path, *, read_only: bool = False, mapped: int = 2**28) -> apsw.Connection:
    """A durable, checked, plan-stable connection; the setup waits for other processes, later statements never do.

    So many bytes of the file are read in place instead of being copied.
    """
    connection = apsw.Connection(str(path), flags=_FLAGS, statementcachesize=1024)
    connection.set_busy_timeout(int(PATIENCE * 1000))
    # One plan per text, whatever is bound: no statement is prepared again because a value changed.
    connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
    # As on PostgreSQL: "double quotes" name a column, LIKE minds the case.
    connection.config(apsw.SQLITE_DBCONFIG_DQS_DML, 0)
    connection.config(apsw.SQLITE_DBCONFIG_DQS_DDL, 0)
    connection.execute("PRAGMA case_sensitive_like = ON").fetchall()
    connection.execute(_SETUP).fetchall()
    connection.execute(f"PRAGMA mmap_size = {mapped}").fetchall()
    iids.teach(connection)
    if read_only:
        connection.execute("PRAGMA query_only = ON").fetchall()
    connection.set_busy_timeout(0)
    return connection


def fetch(connection: apsw.Connection, sql: str, bound: Mapping[str, Value]) -> Rows:
    """Run one statement to its end; its rows."""
    statement = text.sqlite(sql)
    try:
        return cast("Rows", connection.execute(statement.text, statement.arguments(bound)).fetchall())
    except apsw.ConstraintError as error:
        raise _conflict(error) from error


async def patiently(attempt: Callable[[], Result]) -> Result:
    """What `attempt` gives, as soon as no other process is in the way; the event loop goes on meanwhile."""
    deadline = monotonic() + PATIENCE
    pause = LONGEST_PAUSE / 2
    while True:
        try:
            return attempt()
        except apsw.BusyError as error:
            if monotonic() > deadline:
                raise DatabaseBusy("Another process has held the database for too long.") from error
        await asyncio.sleep(uniform(pause / 2, pause))  # noqa: S311 - guards no secret
        pause = min(pause * 1.5, LONGEST_PAUSE)


def _conflict(error: apsw.ConstraintError) -> DatabaseError | apsw.Error:
    """Which promise was broken; anything but uniqueness and references is a fault of ours and stays as it is."""
    # "UNIQUE constraint failed: labels.project_id, labels.title"; "FOREIGN KEY constraint failed"
    kind, _, names = str(error).partition(" constraint failed")
    if kind == "FOREIGN KEY":
        return ForeignKeyViolation()
    if kind != "UNIQUE":
        return error
    columns = [name.split(".") for name in names.removeprefix(": ").split(", ")]
    return UniqueViolation(columns[0][0], tuple(column for _, column in columns))
