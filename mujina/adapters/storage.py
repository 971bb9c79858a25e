"""Files in a folder of this machine, or in a bucket: S3, Google or Azure, by URL."""

import asyncio
import os
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import suppress
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any, Final

from mujina.kernel import deferred_imports
from mujina.settings import Settings

CHUNK: Final = 65_536


class FileStorage:
    """The store of files the operator chose. It is opened when it is first needed: no start pays for it."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    async def put(self, name: str, data: bytes) -> None:
        """The file is kept for good, whole or not at all."""
        await deferred_imports.obstore().put_async(self._store, name, data)
        await self._harden(name)

    async def get(self, name: str) -> bytes | None:
        """The file; None if there is none."""
        try:
            found = await deferred_imports.obstore().get_async(self._store, name)
        except FileNotFoundError:
            return None
        return bytes(await found.bytes_async())

    async def put_pieces(self, name: str, pieces: AsyncIterator[bytes]) -> None:
        """The file is kept for good, without ever being held whole; if the pieces raise, nothing is kept."""
        await deferred_imports.obstore().put_async(self._store, name, pieces)
        await self._harden(name)

    async def pieces(self, name: str) -> AsyncIterator[bytes]:
        """The file in pieces, as fast as they are taken; `FileNotFoundError` if there is none."""
        found = await deferred_imports.obstore().get_async(self._store, name)
        return found.stream(min_chunk_size=CHUNK)

    async def remove(self, name: str) -> None:
        """There is no such file any more, if there was one."""
        with suppress(FileNotFoundError):
            await deferred_imports.obstore().delete_async(self._store, name)

    async def _harden(self, name: str) -> None:
        """The file survives a power loss, with all folders that lead to it; a bucket sees to that by itself."""
        if self._settings.storage_url is None:
            await asyncio.to_thread(_flush, [self._folder / name, *_folders(name, self._folder)])

    @cached_property
    def _store(self) -> Any:
        url = self._settings.storage_url
        if url is None:
            return deferred_imports.obstore().store.LocalStore(str(self._folder), mkdir=True)
        return deferred_imports.obstore().store.from_url(url)

    @property
    def _folder(self) -> Path:
        return self._settings.data.absolute() / "files"


def _folders(name: str, root: Path) -> Iterator[Path]:
    """Those that may have been made for this file, the innermost first, up to the one that held the root before."""
    yield from (root / above for above in PurePosixPath(name).parents)
    yield root.parent


def _flush(paths: Iterable[Path]) -> None:
    """Waits for the disk."""
    for path in paths:
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
