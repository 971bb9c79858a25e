"""One of two restorations into one place is refused, and the other is whole; what is read from a target is not removed."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from mujina.adapters.file_locks import locked_folder
from mujina.backups.targets import open_target
from tests.backups.small_instance import SmallInstance
from tests.harness import fork_server
from tests.harness.databases import PostgresDatabases


def test_a_folder_that_is_being_restored_is_refused(instance: SmallInstance):
    instance.restored.mkdir()
    with locked_folder(instance.restored):
        assert instance.restore().error == f"Another `mujina restore` restores into {instance.restored}."
    assert not list(instance.restored.iterdir())
    assert instance.restore().code == 0


def test_a_set_that_is_read_is_not_removed(instance: SmallInstance):
    target = open_target(str(instance.target))
    with target.reading():
        assert instance.backup("--keep", "1").error.startswith(f"The new set in {target} is complete, but no older one")
        assert instance.read("verify").out == f"Complete and undamaged sets in {target}: 2.\n"
        assert instance.restore().code == 0
    with target.removing():
        for refused in (instance.restore(), instance.read("verify")):
            assert refused.error.startswith(f"`mujina backup` is removing old sets from {target}")
        assert instance.backup().code == 0
    assert instance.backup("--keep", "1").code == 0
    assert instance.read("list").out.count("\n") == 2


@pytest.mark.parametrize("engine", ["sqlite", "postgres"])
def test_one_of_two_concurrent_restorations_is_complete(
    instance: SmallInstance, tmp_path: Path, engine: str, request: pytest.FixtureRequest
):
    """Into one folder, or from two folders into one database of PostgreSQL."""
    places = [["--data", str(instance.restored)]] * 2
    if engine == "postgres":
        databases: PostgresDatabases = request.getfixturevalue("postgres")
        url = databases.create()
        places = [["--data", str(tmp_path / name), "--database-url", url] for name in ("restored", "other")]
    with ThreadPoolExecutor(2) as threads:
        commands = (("mujina", "restore", str(instance.target), *place) for place in places)
        codes, _, errors = zip(*threads.map(lambda command: fork_server.run(*command), commands), strict=True)
    assert sorted(codes) == [0, 2], errors
    assert any(
        words in "".join(errors) for words in ("Another `mujina restore`", "is not empty", "was filled meanwhile")
    ), errors
