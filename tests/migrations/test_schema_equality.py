"""The revisions make the tables that are declared, on both engines."""

from sqlalchemy import Index

from mujina.migrations import generate, revisions
from mujina.migrations.metadata import tables
from mujina.migrations.revise import draft
from mujina.migrations.revisions import known
from mujina.migrations.upgrade import migrate
from tests.migrations.shape import shape


def test_the_generated_files_are_current():
    stale = [path.name for path, text in generate.generated() if path.read_text() != text]
    assert stale == [], "run python -m mujina.migrations.generate"


def test_the_revisions_make_the_tables(engine, second_url, request, run, tmp_path, monkeypatch):
    migrated = shape(request.getfixturevalue(f"{engine}_schema"))
    (tmp_path / f"{known()[-1]}_all.{engine}.sql").write_text(generate.creating(tables(), engine))
    (tmp_path / f"{known()[-1]}_all.sqlite.sql").touch()
    monkeypatch.setattr(revisions, "VERSIONS", tmp_path)
    run(migrate(second_url))
    assert shape(second_url) == migrated
    assert len(migrated[0]) > 100


def test_the_revisions_leave_nothing_to_revise(sqlite_url):
    assert draft(sqlite_url, tables()) == {}


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
