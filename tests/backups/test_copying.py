"""`mujina database copy`: a database goes to the other engine and back, whole or not at all."""

import signal
from pathlib import Path

import psycopg
import pytest

from mujina.backups.copying import TableSum, copy_database
from mujina.backups.rows import open_snapshot
from tests.cli.command import mujina
from tests.harness import fork_server
from tests.harness.databases import in_transaction
from tests.harness.running import RunningServer
from tests.migrations.releases.frozen import unpack
from tests.migrations.releases.going_on import goes_on

POINTS = ["copy 60", "verify 1"]
MANY_POINTS = ["copy 1", "copy last", "verify last", *(f"copy {number}" for number in range(2, 120, 8))]


@pytest.fixture
def frozen(engine, database_url, tmp_path):
    """An instance with something of everything, upgraded to this version: its URL, and what was recorded about it."""
    url = database_url if engine == "postgres" else f"sqlite:///{tmp_path}/data/mujina.db"
    recorded = unpack("0.1.0", engine, tmp_path, url)
    assert mujina("migrate", "--data", str(tmp_path / "data"), "--database-url", url).code == 0
    return url, recorded


@pytest.fixture
def back_url(engine, postgres, tmp_path):
    """A further empty database of the engine."""
    if engine == "sqlite":
        yield f"sqlite:///{tmp_path}/back/mujina.db"
        return
    url = postgres.create()
    yield url
    postgres.drop(url)


@pytest.fixture
def other_url(engine, postgres, tmp_path):
    """An empty database of the other engine."""
    if engine == "postgres":
        yield f"sqlite:///{tmp_path}/other/mujina.db"
        return
    url = postgres.create()
    yield url
    postgres.drop(url)


def copy(source, target, folder):
    return mujina("database", "copy", source, target, "--data", str(folder))


def sums(url):
    """What each table that has rows has, and the counters of ids."""
    with open_snapshot(url) as snapshot:
        found = {}
        for table in snapshot.tables():
            each = TableSum()
            for row in snapshot.rows(table):
                each = each.with_row(row)
            found[table.name] = each
        return {name: each for name, each in found.items() if each.rows}, snapshot.counters()


def is_empty(url):
    if url.startswith("sqlite"):
        return not Path(url.removeprefix("sqlite:///")).exists()
    with psycopg.connect(url) as connection:
        return connection.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'").fetchall() == [(0,)]


def test_a_copy_has_every_row_and_goes_on_on_the_other_engine(frozen, other_url, back_url, tmp_path):
    url, recorded = frozen
    before = sums(url)
    result = copy(url, other_url, tmp_path / "data")
    assert (result.code, result.out.startswith("Copied and verified ")) == (0, True), result.err
    assert sums(other_url)[0] == before[0]
    counters = sums(other_url)[1]
    both = before[1].keys() & counters.keys()  # a table whose ids are given by us has none on PostgreSQL
    assert {name: before[1][name] for name in both} == {name: counters[name] for name in both}
    assert len(both) > 30
    assert copy(other_url, back_url, tmp_path / "none").code == 0
    for file in (tmp_path / "other" / "mujina.db", tmp_path / "back" / "mujina.db"):
        assert not file.exists() or file.stat().st_mode & 0o777 == 0o600
    assert sums(back_url)[0] == before[0]
    server = RunningServer(tmp_path / "data", other_url)
    server.start()
    try:
        goes_on(server, recorded, tmp_path)
        running = copy(other_url, f"sqlite:///{tmp_path}/third.db", tmp_path / "data")
        assert running.error == f"The server of {tmp_path / 'data'} uses this database: stop it, then run this again."
    finally:
        server.kill()


def test_a_copy_that_is_killed_leaves_nothing_and_can_be_run_again(migrated_url, other_url, tmp_path, thorough):
    points = [
        *POINTS,
        *(MANY_POINTS if thorough else ()),
        *(["indexes", "rename"] if other_url.startswith("sqlite") else []),
    ]
    (tmp_path / "other").mkdir()
    for point in points:
        code, _, err = fork_server.run("tests.backups.killed_copy", migrated_url, other_url, point)
        assert (point, code) == (point, -signal.SIGKILL), err
        assert is_empty(other_url), point
    assert copy(migrated_url, other_url, tmp_path / "none").code == 0
    assert sums(other_url)[0] == sums(migrated_url)[0]


def test_what_cannot_be_copied_is_refused(migrated_url, other_url, tmp_path):
    data = tmp_path / "none"
    missing = copy(f"sqlite:///{tmp_path}/nowhere.db", other_url, data)
    assert missing.error == f"FROM: there is no file {tmp_path}/nowhere.db."
    filled = copy(migrated_url, migrated_url, data).error
    assert filled.startswith(("TO: the file ", "TO: the database is not empty, it has the table "))
    in_transaction(migrated_url, lambda tx: tx.run("UPDATE schema_revision SET revision = '0000'"))
    assert copy(migrated_url, other_url, data).error.startswith("FROM: The database has the schema of a newer version")
    assert is_empty(other_url)


def test_a_copy_that_is_under_way_is_left_alone(sqlite_schema, tmp_path):
    """By a second copy to the same file, and by `mujina doctor --fix`."""
    data, target = tmp_path / "data", f"sqlite:///{tmp_path}/data/mujina.db"
    data.mkdir(mode=0o700)
    tried = []

    def progress(name, done, _total):
        if (name, done) in (("copy", 60), ("verify", 1)):
            second = copy(sqlite_schema, target, tmp_path / "none").error
            assert second == f"Another command fills a database in {data}: wait for its end."
            doctor = mujina("doctor", "--fix", "--data", str(data), MUJINA_PORT="0", MUJINA_SSH_PORT="0")
            assert "fixed" not in doctor.out
            tried.append(name)

    copy_database(sqlite_schema, target, progress)
    assert tried == ["copy", "verify"]
    assert sums(target)[0] == sums(sqlite_schema)[0]
