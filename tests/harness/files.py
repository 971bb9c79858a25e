"""A folder that is restored after each test."""

import os
import shutil
import stat
from pathlib import Path

_Look = tuple[int, int, int, int]
"""Mode, inode, time of change and size."""


class ForgetfulFiles:
    """A copy of the folder `kept`, which it is again whenever `forget` has been called. Costs a look, and what has changed."""

    def __init__(self, folder: Path, kept: Path) -> None:
        self._folder = folder
        self.kept = kept
        shutil.copytree(kept, folder)
        self._state = self._look()

    def forget(self) -> None:
        if self._is_untouched():
            return
        found = self._look()
        for path in sorted(found, reverse=True):  # what is in a folder before the folder
            if path not in self._state or _kind(found[path]) != _kind(self._state[path]):
                (os.rmdir if _kind(found[path]) == stat.S_IFDIR else os.unlink)(path)
                del found[path]
        for path in sorted(self._state):
            if path not in found or (found[path] != self._state[path] and _kind(found[path]) != stat.S_IFDIR):
                self._restore(Path(path), there=path in found)
        # The clock of a file system is coarse: with its old time, a folder shows what happens to it next, however soon.
        for path, look in [*self._state.items(), (str(self._folder), self._root)]:
            if _kind(look) == stat.S_IFDIR:
                os.utime(path, ns=(look[2], look[2]))
        self._state = self._look()

    def _is_untouched(self) -> bool:
        """A file that is new or gone shows in the time of its folder."""
        try:
            return _seen(str(self._folder)) == self._root and all(
                _seen(path) == look for path, look in self._state.items()
            )
        except FileNotFoundError:
            return False

    def _restore(self, path: Path, *, there: bool) -> None:
        kept = self.kept / path.relative_to(self._folder)
        if kept.is_dir():
            path.mkdir()
            shutil.copystat(kept, path)
        else:
            if there:
                path.unlink()  # an object of git may not be written to
            shutil.copy2(kept, path)

    def _look(self) -> dict[str, _Look]:
        found: dict[str, _Look] = {}
        for where, folders, files in os.walk(self._folder):
            for name in (*folders, *files):
                path = f"{where}/{name}"
                found[path] = _seen(path)
        self._root = _seen(str(self._folder))
        return found


def _seen(path: str) -> _Look:
    seen = os.lstat(path)
    return seen.st_mode, seen.st_ino, seen.st_mtime_ns, seen.st_size


def _kind(look: _Look) -> int:
    return stat.S_IFMT(look[0])
