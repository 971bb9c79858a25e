"""A small library of two tables, on an open database of either engine."""

from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import pytest

from mujina.kernel.db.connect import connect
from mujina.kernel.db.sqlite.database import SqliteDatabase
from mujina.kernel.db.transaction import Database

TABLES = (
    "CREATE TABLE shelves (id bigint PRIMARY KEY, room text, name text, open boolean DEFAULT FALSE, UNIQUE (room, name))",
    "CREATE TABLE books (id bigint PRIMARY KEY, shelf_id bigint NOT NULL REFERENCES shelves (id), title text)",
)

Run = Callable[[Awaitable[Any]], Any]


async def build_services(database: Database) -> None:
    async with database.transaction() as tx:
        for statement in TABLES:
            await tx.run(statement)
        await tx.run("INSERT INTO shelves (id, room, name) VALUES (1, 'hall', 'first')")


@pytest.fixture
def run(loop) -> Run:
    return loop.run_until_complete


@pytest.fixture
def database(database_url, run) -> Iterator[Database]:
    database = connect(database_url)
    run(database.open())
    run(build_services(database))
    yield database
    run(database.close())


@pytest.fixture
def sqlite(tmp_path, run) -> Iterator[SqliteDatabase]:
    """For what is SQLite's alone: the shared commit."""
    database = SqliteDatabase(tmp_path / "library.db")
    run(database.open())
    run(build_services(database))
    yield database
    run(database.close())
