"""Every table that has to do with projects is restored with one of them, or is named as one that is not."""

from pathlib import Path

import pytest

from mujina.backups.only import schema
from mujina.backups.only.keys import file_columns, find_keys, new_key
from mujina.backups.rows import sqlite_rows
from mujina.kernel.db.sqlite.connection import connect
from mujina.migrations.newest import newest_schema
from mujina.product import PRODUCT

KEPT_BY_TRIGGERS = ("_counts", "_documents", "_grams", "waiting_texts", "document_epochs", "_texts_")
NO_PROJECT = {"audit_events", "hook_payloads", "replicated_repositories"}
"""What happened, and what secondaries and deliveries note: these name projects and do not belong to them."""
PLAIN_IDS = {
    "commit_statuses.external_id", "pipeline_jobs.stage_index", "notes.discussion_id", "diff_positions.discussion_id",
    "draft_notes.discussion_id", "push_refs.old_id", "push_refs.new_id", "services.external_id",
}  # fmt: skip
"""Columns with names of ids that are not ids of rows."""

OF_NO_PROJECT = {
    "namespaces: ix_namespaces_name",  # at the top level: the place is looked for by path and by name
    "ci_variables: ix_ci_variables_of_the_instance",  # of the instance
    "push_rules: ix_push_rules_is_default",  # of the instance
}


@pytest.fixture(scope="module")
def connection(sqlite_schema: str):
    connection = connect(Path(sqlite_schema.removeprefix("sqlite:///")), read_only=True)
    yield connection
    connection.close()


def test_every_table_with_a_project_is_restored_or_left_out_by_name(connection):
    restored = schema.read_shapes(connection)
    tables = {
        name: {column for (column,) in sqlite_rows(connection, "SELECT name FROM pragma_table_info(?)", name)}
        for (name,) in sqlite_rows(
            connection, "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'"
        )
        if not name.startswith("sqlite_") and not any(part in name for part in KEPT_BY_TRIGGERS)
    }
    about_projects = {
        name
        for name, columns in tables.items()
        if {"project_id", "group_id", "namespace_id"} & columns or any(column.endswith("_kind") for column in columns)
    }
    unknown = about_projects - restored.keys() - schema.LEFT_OUT.keys() - NO_PROJECT
    assert unknown == set(), "add them to LEFT_OUT, OWNED_BY_KIND or NO_PROJECT, or give them a foreign key"
    assert schema.LEFT_OUT.keys() <= tables.keys()
    assert not schema.LEFT_OUT.keys() & restored.keys()


def test_every_id_of_a_restored_table_is_mapped(connection):
    known = schema.REFERENCES.keys() | schema.KIND_COLUMNS.keys()
    unknown = [
        f"{shape.name}.{column}"
        for shape in schema.read_shapes(connection).values()
        for column in shape.columns
        if column.endswith("_id") and column not in shape.references and (shape.name, column) not in known
    ]
    assert set(unknown) <= PLAIN_IDS, "add them to REFERENCES, KIND_COLUMNS or PLAIN_IDS"


def test_what_is_unique_here_is_new_or_looked_for(connection):
    """A value that exists once must come from an id or a new name: the old project may still be here."""
    files = {(each.table, each.column) for each in file_columns(PRODUCT)}
    clashing = list[str]()
    for shape in schema.read_shapes(connection).values():
        renewed = {*shape.references, "id", "discussion_id", schema.UNIQUE.get(shape.name, "id")}
        renewed |= {column for table, column in (*schema.KIND_COLUMNS, *files) if table == shape.name}
        if shape.name == "pipeline_jobs":
            renewed.add("token_digest")  # cleared
        for (index,) in sqlite_rows(connection, 'SELECT name FROM pragma_index_list(?) WHERE "unique"', shape.name):
            columns = {column for (column,) in sqlite_rows(connection, "SELECT name FROM pragma_index_info(?)", index)}
            if not columns & renewed:
                clashing.append(f"{shape.name}: {index}")
    assert set(clashing) == OF_NO_PROJECT


def test_files_are_declared_as_columns_of_tables():
    assert {each.table for each in file_columns(PRODUCT)} >= {"uploads", "lfs_objects", "projects", "groups"}


def test_the_avatar_of_a_topic_comes_with_the_projects_that_have_it():
    connection, schema_text = connect(Path(":memory:")), newest_schema()
    assert schema_text is not None
    connection.execute(schema_text)
    connection.execute("""PRAGMA foreign_keys = OFF;
        INSERT INTO topics (id, name, name_folded, title, created_at, updated_at, avatar_key)
            VALUES (1, 'a', 'a', 'a', '', '', 'avatars/topic/1.png'), (2, 'b', 'b', 'b', '', '', 'avatars/topic/2.png');
        INSERT INTO project_topics VALUES (7, 1), (8, 2)""")
    assert find_keys(PRODUCT, connection, [], [7]) == {"avatars/topic/1.png": "topics"}
    assert new_key("token", "topics", "avatars/topic/1.png") == "avatars/topic/1.png"
    connection.close()
