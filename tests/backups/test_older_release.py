"""An instance of an older release is backed up before its upgrade, and restored by the release that is installed."""

import tarfile
from pathlib import Path

from tests.backups.small_instance import SmallInstance

RELEASE = Path(__file__).parents[1] / "migrations" / "releases" / "0.1.0" / "sqlite.tar.xz"


def test_an_instance_of_0_1_0_is_backed_up_and_restored_with_the_schema_of_this_version(tmp_path: Path):
    with tarfile.open(RELEASE) as archive:
        archive.extractall(tmp_path)
    instance = SmallInstance(tmp_path / "data", tmp_path / "target", tmp_path / "restored")
    before = (instance.data / "mujina.db").read_bytes()
    assert instance.backup().code == 0
    assert (instance.data / "mujina.db").read_bytes() == before  # it was not upgraded
    done = instance.restore()
    assert done.code == 0, done.out + done.err
    assert "ok       database: SQLite is reachable and has the schema of this version" in done.out
    assert "ok       stored data: the disk has every repository and file that the database knows" in done.out
