"""A folder that forgets: what tests leave in it is gone before the next one."""

import os
import shutil
from pathlib import Path


class ForgetfulFiles:
    """The folder as it was when this was made, whenever `forget` has been called. Costs a look, unless something changed."""

    def __init__(self, folder: Path, kept: Path) -> None:
        self._folder = folder
        self._kept = kept
        shutil.copytree(folder, kept)
        self._state = self._look()

    def forget(self) -> None:
        if self._look() != self._state:
            shutil.rmtree(self._folder)
            shutil.copytree(self._kept, self._folder)
            self._state = self._look()

    def _look(self) -> dict[str, tuple[int, int]]:
        found: dict[str, tuple[int, int]] = {}
        for where, folders, files in os.walk(self._folder):
            for name in (*folders, *files):
                told = os.lstat(path := f"{where}/{name}")
                found[path] = told.st_mtime_ns, told.st_size
        return found
