"""An upgrade keeps the database as it was, can be killed and run again, and needs room."""

import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

from mujina.kernel.build import VERSION
from mujina.migrations import revisions
from mujina.migrations.revisions import known
from mujina.migrations.upgrade import migrate
from tests.cli.command import mujina
from tests.harness import fork_server
from tests.harness.databases import in_transaction
from tests.harness.mounts import mounting
from tests.migrations.shape import shape

ADD_FLOORS = "CREATE TABLE floors (id bigint);\n\nINSERT INTO floors (id) VALUES (7);\n"
PROGRAM = "tests.migrations.killed_upgrade"


def upgrade(url, point="none"):
    """The exit code of an upgrade, and what it wrote to stderr."""
    code, _, err = fork_server.run(PROGRAM, url, str(revisions.VERSIONS), point)
    return code, err


def snapshots(url):
    file = Path(url.removeprefix("sqlite:///"))
    return sorted(path.name.removeprefix(f"{file.name}.") for path in file.parent.glob(f"{file.name}.*"))


POINTS = {
    "sqlite": ["copying", "copied", "kept", "statement 0", "statement 1", "all statements"],
    "postgres": ["statement 0", "statement 1", "all statements"],
}


def test_an_upgrade_that_is_killed_changes_nothing_and_can_be_run_again(migrated_url, engine, add_revision, thorough):
    def do(statement):
        return in_transaction(migrated_url, lambda tx: tx.value(statement))

    before, finished = shape(migrated_url), do("SELECT revision FROM schema_revision")
    further = 18 if thorough else 0
    add_revision(ADD_FLOORS + "\nINSERT INTO floors (id) VALUES (0);\n" * further)
    for point in (*POINTS[engine], *(f"statement {2 + number}" for number in range(further))):
        assert (point, upgrade(migrated_url, point)[0]) == (point, -signal.SIGKILL)
        assert (shape(migrated_url), do("SELECT revision FROM schema_revision")) == (before, finished), point
    assert upgrade(migrated_url) == (0, "")
    assert (do("SELECT sum(id) FROM floors"), do("SELECT revision FROM schema_revision")) == (7, " ".join(known()))
    if engine == "sqlite":
        assert snapshots(migrated_url) == [f"before-{VERSION}"]
        assert shape(f"{migrated_url}.before-{VERSION}") == before


def test_the_database_is_kept_as_it_was_until_the_next_upgrade(migrated_url, engine, run, add_revision, tmp_path):
    add_revision(ADD_FLOORS)
    where = ("--data", str(tmp_path / "data"), "--database-url", migrated_url)
    planned = mujina("version", *where).out.splitlines()[-1]
    assert planned.startswith("The next start upgrades the database by the revisions 9000, ")
    done = mujina("migrate", *where).out.splitlines()
    assert done[0].startswith("The database was upgraded by the revisions 9000.")
    assert mujina("version", *where).out.splitlines()[-1] == "The database has the schema of this version."
    if engine == "postgres":
        assert planned.endswith(", in one transaction: make a backup before.")
        return
    kept = Path(f"{migrated_url.removeprefix('sqlite:///')}.before-{VERSION}")
    assert f" MB to {kept}. It needs " in planned
    assert planned.endswith("which is enough.")
    assert f"It is kept as it was in {kept} (" in done[0]
    assert kept.stat().st_mode & 0o777 == 0o600
    old = kept.rename(kept.with_name("mujina.db.before-0.0.9"))  # as the upgrade of a former release leaves it
    add_revision("INSERT INTO floors (id) VALUES (8);\n", number="9001")
    run(migrate(migrated_url))
    assert not old.exists()
    with sqlite3.connect(kept) as connection:
        assert connection.execute("SELECT id FROM floors").fetchall() == [(7,)]


def test_an_upgrade_without_room_is_refused_before_anything_is_touched(sqlite_url, add_revision, tmp_path):
    add_revision(ADD_FLOORS)
    file = Path(sqlite_url.removeprefix("sqlite:///"))
    disk = tmp_path / "disk"
    disk.mkdir()
    kilobytes = file.stat().st_size * 2 // 1024
    wrapper = mounting(f'mount -t tmpfs -o size={kilobytes}k tmpfs "{disk}" && cp "{file}" "{disk}/mujina.db"')
    command = [*wrapper, sys.executable, "-m", PROGRAM, f"sqlite:///{disk}/mujina.db", str(revisions.VERSIONS), "none"]
    result = subprocess.run(command, cwd=fork_server.ROOT, capture_output=True, text=True, timeout=180, check=False)
    assert (
        f"MigrationFailed: The upgrade needs {-(-file.stat().st_size * 2 // 1_000_000)} MB free in {disk}"
        in result.stderr
    )
    assert result.stderr.rstrip().endswith("then start again. Nothing was changed.")


def test_version_answers_without_a_database_and_with_one_that_is_newer(tmp_path, sqlite_url):
    assert mujina("version", "--data", str(tmp_path / "none")).out.splitlines()[-1] == "There is no database here yet."
    in_transaction(sqlite_url, lambda tx: tx.run("UPDATE schema_revision SET revision = '9999'"))
    newer = mujina("version", "--data", str(tmp_path), "--database-url", sqlite_url)
    assert newer.out.splitlines()[-1].startswith("The database has the schema of a newer version: ")
    away = mujina("version", "--data", str(tmp_path), "--database-url", "postgresql://127.0.0.1:1/mujina")
    assert (away.code, "cannot be used (Connection refused)" in away.out) == (0, True)
