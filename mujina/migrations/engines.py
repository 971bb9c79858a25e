"""SQLAlchemy's way to a database, for changing its schema only."""

from sqlite3 import Connection as SqliteConnection
from typing import Any

import psycopg
from sqlalchemy import Connection, Engine, NullPool, Table, create_engine, event, text

from mujina.migrations.upgrade import TURN


def engine_for(url: str) -> Engine:
    """One connection at a time, whose schema changes roll back as a whole on both engines."""
    if not url.startswith("sqlite:"):
        return create_engine("postgresql+psycopg://", creator=lambda: psycopg.connect(url), poolclass=NullPool)
    engine = create_engine(url, poolclass=NullPool, connect_args={"timeout": 60})
    event.listen(engine, "connect", _prepare)
    event.listen(engine, "begin", _begin)
    return engine


def wait_for_turn(connection: Connection) -> None:
    """Hold other upgrades off until this transaction ends; SQLite's BEGIN IMMEDIATE has done so already."""
    if connection.dialect.name == "postgresql":
        connection.execute(text(TURN))


def _prepare(connection: SqliteConnection, _: Any) -> None:
    # The driver would begin no transaction before a CREATE TABLE: they are ours to begin.
    connection.isolation_level = None
    # A table that is made anew under its old name must not take with it what refers to it.
    connection.execute("PRAGMA foreign_keys = OFF")


def _begin(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN IMMEDIATE")


@event.listens_for(Table, "column_reflect")
def _keep_ids_unused(_: Any, table: Table, column: Any) -> None:
    """A table that is made anew keeps its AUTOINCREMENT, which reflection does not see."""
    if column["name"] == "id" and column["primary_key"]:
        table.kwargs["sqlite_autoincrement"] = True
