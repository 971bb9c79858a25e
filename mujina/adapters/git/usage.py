"""What a repository is made of on the disk, and whether it needs packing."""

import os
from pathlib import Path

import msgspec

MAX_PACKS = 50
"""Each push leaves one; a repository with more gets housekeeping without a request."""
MAX_LOOSE = 5_000
"""Objects outside packs: each commit by the API or a page leaves a few."""
URGENT_FACTOR = 4
"""At this multiple of the limits, housekeeping no longer waits for a quiet time."""


class RepositoryUsage(msgspec.Struct):
    """The files of a repository."""

    bytes: int = 0
    packs: int = 0
    loose: int = 0
    """Objects that are in no pack."""
    loose_bytes: int = 0

    def __add__(self, other: "RepositoryUsage") -> "RepositoryUsage":
        mine, theirs = msgspec.structs.astuple(self), msgspec.structs.astuple(other)
        return RepositoryUsage(*(one + another for one, another in zip(mine, theirs, strict=True)))

    @property
    def needs_packing(self) -> bool:
        """Whether reading it takes longer than it would after packing."""
        return self._exceeds(1)

    @property
    def needs_packing_now(self) -> bool:
        """Whether reading it takes so long that packing must not wait."""
        return self._exceeds(URGENT_FACTOR)

    def _exceeds(self, times: int) -> bool:
        return self.packs > times * MAX_PACKS or self.loose > times * MAX_LOOSE


def measure_files(repo_path: Path) -> RepositoryUsage:
    """What is below the folder now; nothing if it does not exist."""
    found = RepositoryUsage()
    objects = f"{repo_path}/objects/"
    for where, _, names in os.walk(repo_path):
        is_loose = len(where) == len(objects) + 2 and where.startswith(objects)
        for name in names:
            size = file_bytes(f"{where}/{name}")
            found.bytes += size
            found.packs += name.endswith(".pack")
            if is_loose:
                found.loose += 1
                found.loose_bytes += size
    return found


def file_bytes(path: str) -> int:
    """The size of a file; 0 if it is gone, as temporary files go."""
    try:
        return os.lstat(path).st_size
    except FileNotFoundError:
        return 0
