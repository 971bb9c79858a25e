"""The state of the data folder: repositories, uploads, mails."""

import os
import shutil
from pathlib import Path
from typing import Final

STATES: Final = ".states"
"""The folder of the data folder that has the kept states."""
_LINKED: Final = "objects"
"""Git never changes a file below this folder of a repository: it is kept as another link to the same file."""


def keep(data: Path, kept: Path) -> None:
    """Keep what is in the data folder, except the database, in the folder `kept`."""
    kept.mkdir(parents=True)
    for name, entry in _entries(data).items():
        if _is_kept(name):
            _copy(entry, f"{kept}/{name}", linked=False)


def restore(data: Path, kept: Path) -> None:
    """The data folder has again what was kept; costs a look at every file, and a copy of those that changed."""
    found = {name: entry for name, entry in _entries(data).items() if _is_kept(name)}
    _restore(str(data), found, _entries(kept), linked=False)


def _is_kept(name: str) -> bool:
    """Whether an entry of the data folder belongs to its state; the database is kept otherwise."""
    return not name.startswith((STATES, "mujina.db", "server.json", ".server.json"))


# Paths are texts here: each would cost more as an object than the system's call with it.
def _entries(folder: "Path | os.DirEntry[str]") -> "dict[str, os.DirEntry[str]]":
    with os.scandir(folder) as entries:
        return {entry.name: entry for entry in entries}


def _copy(source: "os.DirEntry[str]", target: str, *, linked: bool) -> None:
    if source.is_dir():
        os.mkdir(target, source.stat().st_mode)  # noqa: PTH102
        linked = linked or source.name == _LINKED
        for name, entry in _entries(source).items():
            _copy(entry, f"{target}/{name}", linked=linked)
    elif linked:
        os.link(source, target)
    else:
        shutil.copy2(source, target)


def _restore(
    folder: str, found: "dict[str, os.DirEntry[str]]", wanted: "dict[str, os.DirEntry[str]]", *, linked: bool
) -> None:
    for name, entry in found.items():
        if name not in wanted or not _is_same(entry, wanted[name]):
            _remove(entry)
    for name, entry in wanted.items():
        if name not in found or not _is_same(found[name], entry):
            _copy(entry, f"{folder}/{name}", linked=linked)
        elif entry.is_dir():
            _restore(f"{folder}/{name}", _entries(found[name]), _entries(entry), linked=linked or name == _LINKED)


def _is_same(one: "os.DirEntry[str]", other: "os.DirEntry[str]") -> bool:
    """Whether both are folders, or files of which neither was written after the other was copied from it."""
    if one.is_dir(follow_symlinks=False) or other.is_dir(follow_symlinks=False):
        return one.is_dir(follow_symlinks=False) and other.is_dir(follow_symlinks=False)
    first, second = one.stat(follow_symlinks=False), other.stat(follow_symlinks=False)
    return (first.st_size, first.st_mtime_ns) == (second.st_size, second.st_mtime_ns)


def _remove(entry: "os.DirEntry[str]") -> None:
    if entry.is_dir(follow_symlinks=False):
        shutil.rmtree(entry.path)
    else:
        os.unlink(entry)  # noqa: PTH108
