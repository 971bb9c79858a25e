"""Folders in which archives are drafted and unpacked: in the data folder, whose room is known, and never in memory."""

import shutil
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from time import time
from typing import Final

from mujina.settings import Settings

FOLDER: Final = "scratch"


def scratch_folder(settings: Settings) -> Path:
    """The folder of all drafts, closed to other users of the machine."""
    folder = settings.data.absolute() / FOLDER
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder


def new_scratch(settings: Settings) -> TemporaryDirectory[str]:
    """An empty folder that is removed afterward; `remove_old_scratch` removes it if the process dies."""
    return TemporaryDirectory(prefix="archive-", dir=scratch_folder(settings))


def remove_old_scratch(settings: Settings, age: timedelta) -> None:
    """Remove the folders that processes left that died. One that is in use is younger than `age`."""
    before = time() - age.total_seconds()
    for folder in scratch_folder(settings).glob("archive-*"):
        if folder.lstat().st_mtime < before:
            shutil.rmtree(folder, ignore_errors=True)
