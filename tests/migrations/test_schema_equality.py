"""The revisions make the tables that are declared, on both engines."""

from hashlib import sha256

import apsw
from sqlalchemy import Index

from mujina.migrations import newest, revisions
from mujina.migrations.metadata import tables
from mujina.migrations.revise import draft
from mujina.migrations.revisions import known
from mujina.migrations.upgrade import migrate
from tests.migrations.creating import creating
from tests.migrations.shape import shape


def test_the_revisions_make_the_tables(engine, second_url, request, run, tmp_path, monkeypatch):
    migrated = shape(request.getfixturevalue(f"{engine}_schema"))
    (tmp_path / f"{known()[-1]}_all.{engine}.sql").write_text(creating(tables(), engine))
    (tmp_path / f"{known()[-1]}_all.sqlite.sql").touch()
    monkeypatch.setattr(revisions, "VERSIONS", tmp_path)
    run(migrate(second_url))
    assert shape(second_url) == migrated
    assert len(migrated[0]) > 100


def test_the_revisions_leave_nothing_to_revise(sqlite_url):
    assert draft(sqlite_url, tables()) == {}, "run python -m mujina.migrations.revise NAME"


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


RELEASED = {
    "0001_first.postgres.sql": "167ca6197fb82f5ffbe2ad19a15254c43d4efd547a79d39edeaabf84d5889914",
    "0001_first.sqlite.sql": "21acbdf1f168d721fd25fb4ae96011a6165fac397b794b4b41570a02a65d49b7",
}
"""The checksum of every revision that a release contains: databases out there ran exactly this text."""


def test_released_revisions_do_not_change():
    texts = {name: (revisions.VERSIONS / name).read_bytes() for name in RELEASED}
    assert {name: sha256(text).hexdigest() for name, text in texts.items()} == RELEASED


def test_each_revision_has_a_number_of_its_own_and_a_file_for_each_engine():
    names = sorted(path.name.removesuffix(".sql").rpartition(".")[::2] for path in revisions.VERSIONS.glob("*.sql"))
    assert names == [
        (name, engine) for name in sorted({name for name, _ in names}) for engine in ("postgres", "sqlite")
    ]
    assert len(names) == 2 * len(set(known()))


def test_a_new_database_of_sqlite_is_what_all_revisions_make_of_one(run, tmp_path, monkeypatch):
    assert newest.NEWEST.read_text() == newest.generate(), "run python -m mujina.migrations.newest"
    made_at_once, made_in_steps = (f"sqlite:///{tmp_path}/{name}.db" for name in ("once", "steps"))
    run(migrate(made_at_once))
    stale = tmp_path / "stale.sql"
    stale.write_text("-- of other revisions\nCREATE TABLE stale (id INTEGER);\n")
    monkeypatch.setattr(newest, "NEWEST", stale)
    run(migrate(made_in_steps))
    assert shape(made_at_once) == shape(made_in_steps)
    assert rows(made_at_once) == rows(made_in_steps)


def rows(url):
    connection = apsw.Connection(url.removeprefix("sqlite:///"))
    names = connection.execute("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type <> 'virtual'")
    found = {name: connection.execute(f'SELECT * FROM "{name}"').fetchall() for (name,) in names}
    return {name: each for name, each in found.items() if each and name not in ("sqlite_schema", "sqlite_sequence")}
