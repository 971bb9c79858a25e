"""A backup and a restoration that are killed can be run again to their ends, and the source is not harmed."""

import os
from pathlib import Path

import pytest

from tests.backups.small_instance import SmallInstance, make_instance
from tests.cli.command import mujina
from tests.harness import fork_server
from tests.harness.databases import PostgresDatabases


def run_killed(points: int, *arguments: str, **environment: str) -> int:
    """The number of times that the command was killed before it came to its end."""
    program = ("tests.backups.killed", str(points), *arguments)
    code, out, err = fork_server.run(*program, environment=os.environ | environment)
    assert code == 0, err
    return int(out)


@pytest.fixture
def instance(tmp_path: Path, sqlite_schema: str) -> SmallInstance:
    return make_instance(tmp_path, sqlite_schema)


@pytest.mark.parametrize("engine", ["sqlite", "postgres"])
def test_a_backup_that_is_killed_can_be_run_again(
    instance: SmallInstance, thorough: bool, engine: str, request: pytest.FixtureRequest
):
    before, where = instance.content(instance.data), list[str]()
    if engine == "postgres":
        databases: PostgresDatabases = request.getfixturevalue("postgres")
        where = ["--database-url", databases.create(request.getfixturevalue("postgres_schema"))]
    kills = run_killed(10 if thorough else 1, "backup", str(instance.target), "--data", str(instance.data), *where)
    assert kills >= (20 if thorough else 4)
    assert instance.content(instance.data) == before
    assert instance.read("verify").code == 0
    assert instance.backup("--keep", "1", *where).code == 0
    assert instance.restore().code == 0


@pytest.mark.parametrize("engine", ["sqlite", "postgres"])
def test_a_restoration_that_is_killed_can_be_run_again(
    instance: SmallInstance, thorough: bool, engine: str, request: pytest.FixtureRequest
):
    assert instance.backup().code == 0
    stored = {path: path.read_bytes() for path in instance.target.rglob("*") if path.is_file()}
    where = ["--data", str(instance.restored)]
    if engine == "postgres":
        databases: PostgresDatabases = request.getfixturevalue("postgres")
        where += ["--database-url", databases.create()]
    assert run_killed(10 if thorough else 1, "restore", str(instance.target), *where) >= (20 if thorough else 4)
    assert stored == {path: path.read_bytes() for path in instance.target.rglob("*") if path.is_file()}
    large = instance.content(instance.data)["files/uploads/large"]
    assert instance.content(instance.restored)["files/uploads/large"] == large
    assert not list(instance.restored.glob("*restore*"))


def test_a_folder_that_is_half_restored_is_not_served(instance: SmallInstance):
    instance.restored.mkdir()
    (instance.restored / "restore.json").write_text('{"set": "20260131T000000Z", "token": ""}')
    error = f"The data folder {instance.restored} is not restored to its end: run `mujina restore` again."
    assert mujina("serve", "--data", str(instance.restored)).error == error
    instance.backup()
    assert instance.restore().error.startswith(f"{instance.restored} was partly restored from the set 20260131T000000Z")
