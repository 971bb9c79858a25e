"""A revision drafted on SQLite brings both engines to the new tables, and the rows along."""

from typing import Any

import pytest
from alembic.operations import Operations
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Column, ForeignKey, Index, MetaData, Table
from sqlalchemy import text as sql

from mujina.kernel.db.schema import BooleanType, IntegerType, TextType, boolean, integer, metadata, text
from mujina.migrations.drafts import draft
from mujina.migrations.engines import engine_for
from tests.migrations.shape import shape


def described(*, changed: bool) -> MetaData:
    schema = MetaData(naming_convention=metadata.naming_convention)
    strict: dict[str, Any] = {"sqlite_strict": True, "sqlite_autoincrement": True}
    rooms = Table(
        "rooms", schema, Column("id", IntegerType, primary_key=True), text("name"), boolean("locked"), **strict
    )
    doors = Table(
        "doors",
        schema,
        Column("id", IntegerType, primary_key=True),
        integer("room_id"),
        text("kind", null=True),
        **strict,
    )
    if not changed:
        Index(None, rooms.c.name)
        return schema
    rooms.append_column(Column("floor_id", IntegerType, ForeignKey("floors.id", ondelete="CASCADE"), nullable=True))
    rooms.append_column(text("colour", default=""))
    Index(None, rooms.c.name, unique=True, sqlite_where=sql("NOT locked"), postgresql_where=sql("NOT locked"))
    doors.c.kind.nullable = False
    doors.append_column(Column("open", BooleanType, server_default=sql("TRUE"), nullable=False))
    Table(
        "floors",
        schema,
        Column("id", IntegerType, primary_key=True),
        Column("name", TextType, nullable=False),
        **strict,
    )
    return schema


def make(url, schema):
    engine = engine_for(url)
    with engine.begin() as connection:
        schema.create_all(connection)
    engine.dispose()


def apply(url, source):
    engine = engine_for(url)
    with engine.begin() as connection:
        connection.execute(sql("INSERT INTO rooms (name) VALUES ('hall')"))
        connection.execute(sql("INSERT INTO doors (room_id, kind) VALUES (1, 'oak')"))
        revision = {}
        exec(source, revision)
        with Operations.context(MigrationContext.configure(connection)):
            revision["upgrade"]()
        assert connection.execute(sql("SELECT id, name, colour FROM rooms")).fetchall() == [(1, "hall", "")]
        assert connection.execute(sql("SELECT id, kind, open FROM doors")).fetchall() == [(1, "oak", True)]
    engine.dispose()


@pytest.fixture
def source(tmp_path):
    url = f"sqlite:///{tmp_path / 'draft.db'}"
    make(url, described(changed=False))
    engine = engine_for(url)
    with engine.connect() as connection:
        source = draft(connection, described(changed=True), "Floors", "0002", "0001")
    engine.dispose()
    return source


def test_a_drafted_revision_leads_to_the_tables_and_keeps_the_rows(source, database_url, second_url):
    make(database_url, described(changed=False))
    apply(database_url, source)
    make(second_url, described(changed=True))
    assert shape(database_url) == shape(second_url)


def test_tables_that_are_the_same_need_no_revision(tmp_path):
    url = f"sqlite:///{tmp_path / 'same.db'}"
    make(url, described(changed=True))
    engine = engine_for(url)
    with engine.connect() as connection:
        assert draft(connection, described(changed=True), "Nothing", "0002", "0001") is None
    engine.dispose()
