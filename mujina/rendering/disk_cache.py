"""Results that can be computed again, in a folder of this machine, limited by their size."""

import asyncio
import hashlib
import os
import time
import zlib
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Final

_TOUCHED_AFTER: Final = 24 * 3600
"""Seconds after which a use is noted again: reading a result rarely writes."""
_TRIMMED_EACH: Final = 16
"""The folder is trimmed after each sixteenth part of its size was written."""


class DiskCache:
    """Files by key. Those that were not used for long are removed first; losing one loses nothing."""

    def __init__(self, folder: Path, max_bytes: int) -> None:
        self._folder = folder
        self._max_bytes = max_bytes
        self._written = max_bytes  # by earlier processes: the first write trims

    @staticmethod
    @lru_cache
    def at(folder: Path, max_bytes: int) -> "DiskCache":
        """The cache of this folder, the same one for each call."""
        return DiskCache(folder, max_bytes)

    async def get(self, key: bytes) -> bytes | None:
        """The result; None if it is not kept."""
        return await asyncio.to_thread(self._read, self._file(key))

    async def put(self, key: bytes, data: bytes) -> None:
        """Keep the result. A full disk is no error."""
        await asyncio.to_thread(self._write, self._file(key), data)

    def _file(self, key: bytes) -> Path:
        digest = hashlib.sha256(key).hexdigest()
        return self._folder / digest[:2] / digest[2:]

    def _read(self, file: Path) -> bytes | None:
        try:
            data = zlib.decompress(file.read_bytes())
            if time.time() - file.stat().st_mtime > _TOUCHED_AFTER:
                os.utime(file)
        except (OSError, zlib.error):
            return None
        return data

    def _write(self, file: Path, data: bytes) -> None:
        packed = zlib.compress(data, 1)
        draft = file.with_suffix(f".{os.getpid()}")
        with suppress(OSError):
            file.parent.mkdir(parents=True, exist_ok=True)
            draft.write_bytes(packed)
            draft.replace(file)
            self._written += len(packed)
            if self._written > self._max_bytes // _TRIMMED_EACH:
                self._written = 0
                self._trim()

    def _trim(self) -> None:
        files = [(file, file.stat()) for file in self._folder.glob("*/*")]
        total = sum(stat.st_size for _, stat in files)
        for file, stat in sorted(files, key=lambda entry: entry[1].st_mtime):
            if total <= self._max_bytes:
                return
            file.unlink(missing_ok=True)
            total -= stat.st_size
