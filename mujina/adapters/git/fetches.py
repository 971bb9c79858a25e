"""When a repository last sent objects: a file in it tells the processes that would repack it, on every node."""

import time
from contextlib import suppress
from pathlib import Path
from typing import Final

_FILE: Final = "last-fetch"
LIGHT_BYTES: Final = 256 * 1024
"""A fetch that sends less is not noted: lists of refs, and fetches of a few commits."""
_INTERVAL: Final = 30.0
"""Seconds between two notes of one fetch."""


class FetchNote:
    """Notes on the disk that a fetch sends many bytes, again and again for as long as it does."""

    def __init__(self, repo_path: Path) -> None:
        self._file = repo_path / _FILE
        self._sent = 0
        self._next_at = 0.0

    def add(self, size: int) -> None:
        """Count bytes that are about to be sent. A disk that cannot be written does not stop the fetch."""
        self._sent += size
        if self._sent >= LIGHT_BYTES and (now := time.monotonic()) >= self._next_at:
            self._next_at = now + _INTERVAL
            with suppress(OSError):
                self._file.touch()


def seconds_since_fetch(repo_path: Path) -> float:
    """How long ago a fetch last sent many bytes of this repository; infinity if none ever did."""
    try:
        return time.time() - (repo_path / _FILE).stat().st_mtime
    except FileNotFoundError:
        return float("inf")
