"""Tables, generated files and migrations say the same, on both engines."""

from sqlalchemy import Index

from mujina.migrations import generate
from mujina.migrations.drafts import draft
from mujina.migrations.engines import engine_for
from mujina.migrations.metadata import tables
from mujina.migrations.run import upgrade
from tests.migrations.shape import shape


def test_the_generated_files_are_current():
    stale = [path.name for path, text in generate.generated() if path.read_text() != text]
    assert stale == [], "run python -m mujina.migrations.generate"


def test_a_fresh_database_one_migrated_from_zero_and_the_tables_are_the_same(engine, database_url, second_url, request):
    fresh = shape(request.getfixturevalue(f"{engine}_schema"))
    upgrade(database_url)
    assert shape(database_url) == fresh
    described = engine_for(second_url)
    with described.begin() as connection:
        tables().create_all(connection)
    described.dispose()
    assert shape(second_url) == fresh
    assert len(fresh[0]) > 100


def test_the_migrations_leave_nothing_to_revise(sqlite_url):
    engine = engine_for(sqlite_url)
    with engine.connect() as connection:
        assert draft(connection, tables(), "Nothing", "9999", "9998") is None
    engine.dispose()


SCANNED = {
    "members.created_by_id", "projects.namespace_id", "issues.author_id", "label_priorities.label_id",
    "merge_requests.source_project_id", "diff_positions.merge_request_id", "namespaces.parent_id", "issues.milestone_id",
}  # fmt: skip
"""Foreign keys without an index over all rows: what they refer to is deleted one at a time, in jobs."""


def test_references_to_rows_that_are_deleted_by_the_thousand_are_found_by_an_index():
    scanned = {
        f"{table.name}.{column.name}"
        for table in tables().tables.values()
        for column in table.columns
        if column.foreign_keys and not any(_covers(each, column) for each in (table.primary_key, *table.indexes))
    }
    assert scanned <= SCANNED


def _covers(index, column):
    where = index.dialect_options["sqlite"].get("where") if isinstance(index, Index) else None
    complete = where is None or str(where) == f"{column.name} IS NOT NULL"
    return complete and next(iter(index.columns), None) is column
