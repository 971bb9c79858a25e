"""A marker file tells a storage folder of this instance from the empty folder below a disk that is not mounted."""

from pathlib import Path
from typing import Final

from mujina.kernel.monitoring.logs import log
from mujina.kernel.storage.errors import StorageMissing
from mujina.kernel.storage.fsync import fsync_file

MARKER: Final = ".mujina"
NOT_THERE: Final = "The server's storage of {} is not there. Nothing was changed; try again later."
_NOT_OURS: Final = frozenset({"lost+found"})
"""The entries of a new file system."""
_TEXT: Final = "Mujina keeps data in this folder. Without this file it takes the disk for one that is not mounted.\n"


def has_marker(folder: Path) -> bool:
    return (folder / MARKER).exists()


def check_marker(folder: Path, content: str) -> None:
    """`StorageMissing` unless the folder is marked; `content` says what is kept there."""
    if not has_marker(folder):
        log.error("a storage folder is not there", folder=str(folder))
        raise StorageMissing(NOT_THERE.format(content))


def is_empty(folder: Path) -> bool:
    """Whether there is nothing in the folder, as in one that is not mounted; also if there is no such folder."""
    return not folder.is_dir() or all(entry.name in _NOT_OURS for entry in folder.iterdir())


def mark(folder: Path) -> None:
    """Create the folder and its marker, durably."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    (folder / MARKER).write_text(_TEXT)
    fsync_file(folder / MARKER, folder.parent)
