"""Files and folders that survive a power cut. A file is on disk once it is synced, its name once its folder is.

Git syncs the objects and refs that it writes (`core.fsync`), but neither their folders nor what `git init` writes.
"""

import os
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

WRITTEN_BACK_SECONDS: Final = 600
"""A folder that changed longer ago is on disk already: file systems write their journals within half a minute."""


def fsync_path(path: Path) -> None:
    """Wait until the file or folder is on disk. Blocks: not for the event loop."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def fsync_folders(folders: Iterable[Path]) -> None:
    """Wait until the names in these folders are on disk; those that are gone or did not change cost nothing."""
    changed_since = time.time() - WRITTEN_BACK_SECONDS
    for folder in dict.fromkeys(folders):
        with suppress(FileNotFoundError):
            if folder.stat().st_mtime >= changed_since:
                fsync_path(folder)


def fsync_names(folder: Path) -> None:
    """Wait until the names of all files below the folder are on disk, for files that are on disk themselves."""
    fsync_folders(Path(inner) for inner, _, _ in os.walk(folder, topdown=False))


def fsync_tree(folder: Path) -> None:
    """Wait until everything in the folder is on disk; its own name is in the folder above."""
    for inner, _, names in os.walk(folder, topdown=False):
        for name in names:
            fsync_path(Path(inner, name))
        fsync_path(Path(inner))


def fsync_file(path: Path, root: Path) -> None:
    """Wait until a new file is on disk, with its name and with every folder that leads to it from the root."""
    fsync_path(path)
    fsync_folders(folders_above(path, root))


def folders_above(path: Path, root: Path) -> Iterator[Path]:
    """The folders that lead to the path, innermost first, up to the one that contains the root."""
    for folder in path.parents:
        yield folder
        if folder == root.parent:
            return
