import os
from pathlib import Path

import pytest

from tests.harness.files import ForgetfulFiles


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    made = tmp_path / "kept"
    (made / "inner").mkdir(parents=True)
    (made / "inner" / "file").write_text("kept")
    (made / "inner" / "file").chmod(0o444)
    for path in (made / "inner" / "file", made / "inner", made):
        os.utime(path, (1, 1))
    return made


def add(folder: Path) -> None:
    (folder / "inner" / "new").write_text("x")


def add_below(folder: Path) -> None:
    (folder / "new" / "below").mkdir(parents=True)
    (folder / "new" / "below" / "file").write_text("x")


def remove(folder: Path) -> None:
    (folder / "inner" / "file").unlink()
    (folder / "inner").rmdir()


def replace(folder: Path) -> None:
    (folder / "draft").write_text("lost")
    (folder / "draft").rename(folder / "inner" / "file")


def swap(folder: Path) -> None:
    remove(folder)
    (folder / "inner").write_text("a file where a folder was")


def write_in_place(folder: Path) -> None:
    (folder / "inner" / "file").chmod(0o644)
    (folder / "inner" / "file").write_text("lost")


def move_away(folder: Path) -> None:
    (folder / "inner").rename(folder / "outer")
    (folder / "outer" / "file").unlink()


def make_anew(folder: Path) -> None:
    """The new folder may have the inode of the old one."""
    remove(folder)
    (folder / "inner").mkdir()
    (folder / "inner" / "file").write_text("lost")
    (folder / "inner" / "below").mkdir()


@pytest.mark.parametrize("change", [add, add_below, remove, replace, swap, write_in_place, move_away, make_anew])
def test_a_folder_is_as_it_was_however_often_it_changes(change, kept, tmp_path):
    folder = tmp_path / "folder"
    files = ForgetfulFiles(folder, kept)
    for _ in range(20):
        change(folder)
        files.forget()
        assert [str(path.relative_to(folder)) for path in sorted(folder.rglob("*"))] == ["inner", "inner/file"]
        assert (folder / "inner" / "file").read_text() == "kept"
