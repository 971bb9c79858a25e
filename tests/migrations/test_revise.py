"""A revision drafted on SQLite brings both engines to the new tables, and the rows along."""

from typing import Any

import pytest
from sqlalchemy import Column, ForeignKey, Index, MetaData, Table
from sqlalchemy import text as sql

from mujina.kernel.db.ddl import BooleanType, IntegerType, TextType, boolean, foreign_key, metadata, text
from mujina.migrations import revisions
from mujina.migrations.revise import draft
from mujina.migrations.upgrade import migrate
from tests.harness.databases import in_transaction
from tests.migrations.creating import creating
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
        foreign_key("room_id", "rooms"),
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


@pytest.fixture
def revise(tmp_path, monkeypatch):
    """Replace the known revisions; each is the text of both engines."""
    monkeypatch.setattr(revisions, "VERSIONS", tmp_path)

    def replace(*texts):
        for number, text_of in enumerate(texts, 1):
            for engine, each in text_of.items():
                (tmp_path / f"{number:04}_step.{engine}.sql").write_text(each)

    return replace


def made(*, changed: bool):
    return {engine: creating(described(changed=changed), engine) for engine in ("sqlite", "postgres")}


async def furnish(tx):
    await tx.run("INSERT INTO rooms (name) VALUES ('hall')")
    await tx.run("INSERT INTO doors (room_id, kind) VALUES (1, 'oak')")


async def furniture(tx):
    rooms = await tx.rows(tuple[int, str, str], "SELECT id, name, colour FROM rooms")
    return rooms, await tx.rows(tuple[int, str, bool], "SELECT id, kind, open FROM doors")


def test_a_drafted_revision_leads_to_the_tables_and_keeps_the_rows(revise, tmp_path, run, database_url, second_url):
    revise(made(changed=False))
    run(migrate(database_url))
    in_transaction(database_url, furnish)
    drafted_on = f"sqlite:///{tmp_path / 'draft.db'}"
    run(migrate(drafted_on))
    revise(made(changed=False), draft(drafted_on, described(changed=True)))
    run(migrate(database_url))
    assert in_transaction(database_url, furniture) == ([(1, "hall", "")], [(1, "oak", True)])
    revise(made(changed=True), {"sqlite": "", "postgres": ""})
    run(migrate(second_url))
    assert shape(database_url) == shape(second_url)


def test_tables_that_are_the_same_need_no_revision(revise, tmp_path, run):
    revise(made(changed=True))
    url = f"sqlite:///{tmp_path / 'same.db'}"
    run(migrate(url))
    assert draft(url, described(changed=True)) == {}
