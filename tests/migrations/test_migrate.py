"""Every start brings the database to the schema it knows, or refuses plainly."""

import subprocess
import sys

import pytest

from mujina.kernel.db.errors import MigrationFailed, NewerSchema
from mujina.migrations import revisions
from mujina.migrations.revisions import known
from mujina.migrations.upgrade import migrate
from tests.migrations.shape import shape

START = """
import asyncio, sys
from pathlib import Path
from mujina.migrations import revisions
from mujina.migrations.upgrade import migrate
revisions.VERSIONS = Path(sys.argv[2])
asyncio.run(migrate(sys.argv[1]))
heavy = {"alembic", "sqlalchemy"} & set(sys.modules)
assert not heavy, heavy
"""

ADD_FLOORS = """CREATE TABLE floors (
    id bigint
);

-- A comment; it has a semicolon.
INSERT INTO floors (id) VALUES (7);
"""


def start_several(url, count):
    command = [sys.executable, "-c", START, url, str(revisions.VERSIONS)]
    starts = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for _ in range(count)]
    return [start.communicate(timeout=120)[1] for start in starts]


def test_processes_that_start_together_make_an_empty_database_without_alembic_and_a_later_start_changes_nothing(
    database_url, run, do
):
    assert start_several(database_url, 4) == ["", "", "", ""]
    assert do("SELECT revision FROM schema_revision") == " ".join(known())
    assert do("SELECT count(*) FROM schema_revision") == 1
    assert do("SELECT count(*) FROM issues") == 0
    before = shape(database_url)
    run(migrate(database_url))
    assert shape(database_url) == before
    do("UPDATE schema_revision SET revision = '9999'")
    with pytest.raises(NewerSchema, match=r"9999, which is newer than the .* restore a backup"):
        run(migrate(database_url))


def test_processes_may_start_together_on_an_old_schema(database_url, run, do, add_revision):
    run(migrate(database_url))
    add_revision(ADD_FLOORS)
    assert start_several(database_url, 2) == ["", ""]
    assert do("SELECT revision FROM schema_revision") == " ".join(known())
    assert do("SELECT sum(id) FROM floors") == 7


def test_a_revision_that_another_developer_numbered_lower_runs_after_those_that_ran(
    database_url, run, do, add_revision
):
    run(migrate(database_url))
    add_revision("CREATE TABLE rooms (floor bigint);\n", number="9002")
    run(migrate(database_url))
    add_revision(ADD_FLOORS, number="9001")
    run(migrate(database_url))
    assert do("SELECT sum(id) FROM floors") == 7
    assert do("SELECT revision FROM schema_revision") == " ".join(known())


def test_an_upgrade_that_fails_changes_nothing_and_says_why(database_url, run, do, add_revision):
    run(migrate(database_url))
    before, finished = shape(database_url), " ".join(known())
    add_revision(ADD_FLOORS + "\nCREATE TABLE issues (id bigint);\n")
    with pytest.raises(MigrationFailed, match="issues"):
        run(migrate(database_url))
    assert shape(database_url) == before
    assert do("SELECT revision FROM schema_revision") == finished
