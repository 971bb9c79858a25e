"""Every start brings the database to the schema it knows, or refuses plainly."""

import subprocess
import sys

import pytest

from mujina.kernel.db.connect import connect
from mujina.kernel.db.errors import MigrationFailed, NewerSchema
from mujina.migrations.revisions import known
from mujina.migrations.upgrade import migrate
from tests.migrations.shape import shape

START = """
import asyncio, sys
from mujina.migrations.upgrade import migrate
asyncio.run(migrate(sys.argv[1]))
heavy = {"alembic", "sqlalchemy"} & set(sys.modules)
assert not heavy, heavy
"""

EMPTY_STAMP = "CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL PRIMARY KEY)"


@pytest.fixture
def do(database_url, run):
    """Run one statement on the database; its first value."""

    async def once(statement):
        database = connect(database_url)
        await database.open()
        try:
            async with database.transaction() as tx:
                return await tx.value(statement)
        finally:
            await database.close()

    return lambda statement: run(once(statement))


def start_several(url, count):
    command = [sys.executable, "-c", START, url]
    starts = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for _ in range(count)]
    return [start.communicate(timeout=120)[1] for start in starts]


def test_processes_that_start_together_make_an_empty_database_without_alembic_and_a_later_start_changes_nothing(
    database_url, run, do
):
    assert start_several(database_url, 4) == ["", "", "", ""]
    assert do("SELECT version_num FROM alembic_version") == known()[-1]
    assert do("SELECT count(*) FROM alembic_version") == 1
    assert do("SELECT count(*) FROM issues") == 0
    before = shape(database_url)
    run(migrate(database_url))
    assert shape(database_url) == before
    do("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(NewerSchema, match=r"9999, which is newer than the .* restore a backup"):
        run(migrate(database_url))


def test_processes_may_start_together_on_an_old_schema(database_url, run, do):
    """Its version is the one before the first: nothing is there yet, and every revision is to be run."""
    do(EMPTY_STAMP)
    assert start_several(database_url, 2) == ["", ""]
    assert do("SELECT version_num FROM alembic_version") == known()[-1]
    assert do("SELECT count(*) FROM issues") == 0


def test_an_upgrade_that_fails_changes_nothing_and_says_why(database_url, run, do):
    do(EMPTY_STAMP)
    do("CREATE TABLE issues (id bigint)")
    before = shape(database_url)
    with pytest.raises(MigrationFailed, match="issues"):
        run(migrate(database_url))
    assert shape(database_url) == before
