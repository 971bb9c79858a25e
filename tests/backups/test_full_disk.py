"""A backup and a restoration that meet a full disk end with a sentence, and can be run again when there is room."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.backups.small_instance import SmallInstance, make_instance
from tests.harness.mounts import mounting
from tests.harness.running import ROOT

FULL = "mujina: Storage is full: free some space, then run this again.\n"


@pytest.fixture
def instance(tmp_path: Path, sqlite_schema: str) -> SmallInstance:
    return make_instance(tmp_path, sqlite_schema)


def run(*command: str, wrapper: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*wrapper, sys.executable, "-m", "mujina", *command],
        cwd=ROOT, check=False, capture_output=True, text=True, timeout=300,
    )  # fmt: skip


def disk(folder: Path, kilobytes: int, keep: Path) -> tuple[str, ...]:
    """The start of a command that sees a small disk at this folder; what it has written there is then copied to `keep`."""
    folder.mkdir(exist_ok=True)
    keep.mkdir()
    mount = f'mount -t tmpfs -o size={kilobytes}k,mode=700 tmpfs "{folder}"'
    script = f'{mount}; "$@"; code=$?; cp -a "{folder}/." "{keep}"; exit $code'
    return (*mounting("true"), "sh", "-c", script, "sh")


@pytest.mark.parametrize("kilobytes", [16, 900])
def test_a_backup_to_a_full_disk_leaves_no_set(instance: SmallInstance, tmp_path: Path, kilobytes: int):
    kept = tmp_path / "kept"
    done = run(
        "backup", str(instance.target), "--data", str(instance.data), wrapper=disk(instance.target, kilobytes, kept)
    )
    assert (done.returncode, done.stderr) == (2, FULL)
    assert not list(kept.glob("sets/*"))
    assert not list(kept.rglob(".draft-*"))
    again = SmallInstance(instance.data, kept, instance.restored)
    assert again.backup().code == 0
    assert again.read("verify").code == 0


def test_a_part_that_is_written_in_part_is_an_error(instance: SmallInstance):
    """The kernel stores what fits and says how much: with a limit of the size of files, as just before a disk is full."""
    done = run("backup", str(instance.target), "--data", str(instance.data), wrapper=("prlimit", "--fsize=1000000"))
    assert (done.returncode, done.stderr) == (2, "mujina: File too large.\n")
    assert not list(instance.target.glob("sets/*"))
    assert instance.backup().code == 0
    assert instance.read("verify").code == 0


@pytest.mark.parametrize("kilobytes", [900, 2_500])
def test_a_restoration_to_a_full_disk_is_run_again(instance: SmallInstance, tmp_path: Path, kilobytes: int):
    assert instance.backup().code == 0
    kept = tmp_path / "kept"
    done = run(
        "restore",
        str(instance.target),
        "--data",
        str(instance.restored),
        wrapper=disk(instance.restored, kilobytes, kept),
    )
    assert (done.returncode, done.stderr) == (2, FULL)
    again = SmallInstance(instance.data, instance.target, kept)
    assert again.restore().code == 0
    large = instance.content(instance.data)["files/uploads/large"]
    assert instance.content(kept)["files/uploads/large"] == large


def test_a_copy_to_a_full_disk_leaves_nothing(instance: SmallInstance, tmp_path: Path):
    copy, kept = tmp_path / "copy", tmp_path / "kept"
    done = run(
        "database", "copy", f"sqlite:///{instance.data}/mujina.db", f"sqlite:///{copy}/mujina.db",
        "--data", str(instance.data), wrapper=disk(copy, 500, kept),
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (2, FULL)
    assert not (kept / "mujina.db").exists()
