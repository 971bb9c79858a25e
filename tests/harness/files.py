"""A folder that is restored after each test."""

import ctypes
import os
import shutil
import stat
import struct
from contextlib import suppress
from functools import cache
from pathlib import Path

_Look = tuple[int, ...]
"""Mode and inode; of anything but a folder, the time of change and the size as well."""


class ForgetfulFiles:
    """A copy of the folder `kept`, which it is again whenever `forget` has been called. Costs what has changed."""

    def __init__(self, folder: Path, kept: Path) -> None:
        self._folder = folder
        self.kept = kept
        self.changed: set[str] = set()
        """Folders of it in which anything is new, gone or different."""
        self.gone: set[str] = set()
        """Folders that were removed. One that has been made in the place of such a folder may have the same inode."""
        self._state: dict[str, dict[str, _Look]] = {}
        """What is in each folder."""
        shutil.copytree(kept, folder)
        self._watched = True
        self._remember(str(folder))

    def forget(self) -> None:
        _watches().read()
        if not self._watched:
            self.changed.update(self._state)
        if not self.changed:
            return
        for folder in sorted(self.changed):  # a folder before what is in it
            if folder in self._state and Path(folder).is_dir():
                self._restore(folder)
        _watches().read()
        self.changed.clear()
        self.gone.clear()

    def _restore(self, folder: str) -> None:
        before = self._state[folder]
        with os.scandir(folder) as entries:
            found = {entry.name: _seen(entry.path) for entry in entries}
        for name, look in found.items() - before.items():
            path = f"{folder}/{name}"
            if stat.S_ISDIR(look[0]):
                shutil.rmtree(path)
            else:
                Path(path).unlink()
        for name in before:
            path = f"{folder}/{name}"
            if found.get(name) != before[name]:
                before[name] = self._copy(path)
            elif path in self.gone:
                shutil.rmtree(path)
                before[name] = self._copy(path)

    def _copy(self, path: str) -> _Look:
        kept = self.kept / Path(path).relative_to(self._folder)
        if kept.is_dir():
            shutil.copytree(kept, path)
            self._remember(path)
        else:
            shutil.copy2(kept, path)
        return _seen(path)

    def _remember(self, folder: str) -> None:
        """What is in the folder, and in the folders below, is to stay."""
        for where, folders, files in os.walk(folder):
            if self._watched:
                self._watched = _watches().add(self, where)
            self._state[where] = {name: _seen(f"{where}/{name}") for name in (*folders, *files)}
        self.gone -= self._state.keys()


def _seen(path: str) -> _Look:
    seen = os.lstat(path)
    if stat.S_ISDIR(seen.st_mode):
        return seen.st_mode, seen.st_ino
    return seen.st_mode, seen.st_ino, seen.st_mtime_ns, seen.st_size


_EVENT = struct.Struct("iIII")
_CREATED, _DELETED, _MODIFIED, _ATTRIBUTES, _MOVED = 0x100, 0x200, 0x2, 0x4, 0xC0
_OVERFLOW, _IGNORED, _ONLY_FOLDERS = 0x4000, 0x8000, 0x1000000


class _Watches:
    """The system tells which folders change (inotify): looking at every file after every test takes longer."""

    def __init__(self) -> None:
        self._system = ctypes.CDLL(None, use_errno=True)
        self._events = self._system.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        self._owners: dict[int, tuple[ForgetfulFiles, str]] = {}

    def add(self, owner: ForgetfulFiles, folder: str) -> bool:
        """Whether the system watches it; it watches a limited number, for a limited number of processes."""
        wanted = _CREATED | _DELETED | _MODIFIED | _ATTRIBUTES | _MOVED | _ONLY_FOLDERS
        watch = self._system.inotify_add_watch(self._events, folder.encode(), wanted)
        if watch >= 0:
            self._owners[watch] = owner, folder
        return watch >= 0

    def read(self) -> None:
        """Let the owners know what has changed since the last call."""
        if self._events < 0:
            return
        with suppress(BlockingIOError):
            while events := os.read(self._events, 1_000_000):
                position = 0
                while position < len(events):
                    watch, what, _, length = _EVENT.unpack_from(events, position)
                    position += _EVENT.size + length
                    if what & _OVERFLOW:
                        self._lose_count()
                    elif watch in self._owners:
                        owner, folder = self._owners[watch]
                        owner.changed.add(folder)
                        if what & _IGNORED:
                            owner.gone.add(folder)
                            del self._owners[watch]

    def _lose_count(self) -> None:
        """More happened than the system keeps: anything may have changed."""
        for owner, folder in self._owners.values():
            owner.changed.add(folder)
            owner.gone.add(folder)


@cache
def _watches() -> _Watches:
    return _Watches()
