"""What every process of a run has a copy of: a database with a data folder, built by the first process that needs it."""

import fcntl
import pickle
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.harness.canaries import CANARIES


@dataclass(frozen=True)
class Original:
    url: str
    """The database. No connection to it stays open: it may be copied."""
    folder: Path
    """The data folder."""
    made: Any
    """What else is known about it."""


class Originals:
    """The originals of the processes that name the same `meeting` folder."""

    def __init__(self, meeting: Path) -> None:
        self._meeting = meeting

    def get(self, name: str, build: Callable[[Path], tuple[str, Any]]) -> Original:
        """The original of this name. `build` fills a new data folder, and returns the database's URL and the rest."""
        place = self._meeting / "originals" / name
        place.mkdir(parents=True, exist_ok=True)
        with (place / "building").open("w") as building:
            fcntl.flock(building, fcntl.LOCK_EX)
            if not (place / "made").exists():
                self._build(place, build)
        url, made, secrets = pickle.loads((place / "made").read_bytes())
        CANARIES.know(secrets)
        return Original(url, place / "data", made)

    @staticmethod
    def _build(place: Path, build: Callable[[Path], tuple[str, Any]]) -> None:
        folder = place / "data"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        url, made = build(folder)
        CANARIES.catch_keys(folder)
        draft = place / "draft"
        draft.write_bytes(pickle.dumps((url, made, CANARIES.keep())))
        draft.rename(place / "made")
