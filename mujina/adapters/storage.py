"""Files in a local folder or in a bucket: S3, Google or Azure, by URL."""

import asyncio
import os
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import suppress
from datetime import timedelta
from functools import cached_property
from itertools import islice
from pathlib import Path
from time import time
from typing import Any, Final

from mujina.adapters.file_locks import backup_is_running
from mujina.adapters.storage_marker import check_marker
from mujina.kernel import deferred_imports
from mujina.kernel.storage.fsync import fsync_file, fsync_folders
from mujina.settings import Settings

CHUNK: Final = 65_536
BATCH: Final = 500
"""Files that are listed together."""


CONTENT: Final = "files"
"""The note for people about the contents of the folder."""


def local_folder(settings: Settings) -> Path | None:
    """The folder of the files; None if they are in a bucket."""
    return None if settings.storage_url else settings.data.absolute() / "files"


class FileStorage:
    """The configured file store. It is opened on first use, not at the start.

    Every call raises `StorageMissing` if the disk is not mounted.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._folder = local_folder(settings)

    async def put(self, name: str, data: bytes) -> None:
        """Store the file durably and atomically."""
        await deferred_imports.obstore().put_async(self._store(), name, data)
        await self._sync(name)

    async def get(self, name: str) -> bytes | None:
        """The file; None if there is none."""
        try:
            found = await deferred_imports.obstore().get_async(self._store(), name)
        except FileNotFoundError:
            return None
        return bytes(await found.bytes_async())

    async def put_pieces(self, name: str, pieces: AsyncIterator[bytes]) -> None:
        """Store the file durably and atomically from a stream; if the stream raises, nothing is stored."""
        await deferred_imports.obstore().put_async(self._store(), name, pieces)
        await self._sync(name)

    async def pieces(self, name: str, start: int = 0, end: int | None = None) -> AsyncIterator[bytes]:
        """The bytes of the file from `start` to before `end`, in pieces, as fast as they are read.

        `FileNotFoundError` if there is no such file.
        """
        part: Any = {"offset": start} if end is None else (start, end)
        found = await deferred_imports.obstore().get_async(
            self._store(), name, options={"range": part} if start or end else {}
        )
        return found.stream(min_chunk_size=CHUNK)

    async def remove(self, name: str) -> None:
        """Remove the file durably, if it exists. During a backup it stays: it is removed later as one that no row names."""
        if backup_is_running(self._settings.data):
            return
        if self._folder is not None:  # also what an interrupted upload left, which the store does not name
            check_marker(self._folder, CONTENT)
            await asyncio.to_thread(_unlink, self._folder / name)
            return
        with suppress(FileNotFoundError):
            await deferred_imports.obstore().delete_async(self._store(), name)

    async def old_files(self, folder: str, age: timedelta) -> AsyncGenerator[list[str]]:
        """The names of the files below this folder that were written longer ago, in batches.

        Of a local folder, drafts of interrupted uploads are among them; a bucket has rules of its own for those.
        """
        before = time() - age.total_seconds()
        if self._folder is not None:
            found = _old_names(self._folder, folder, before)
            while names := await asyncio.to_thread(lambda: list(islice(found, BATCH))):
                yield names
            return
        async for files in deferred_imports.obstore().list(self._store(), prefix=folder, chunk_size=BATCH):
            yield [file["path"] for file in files if file["last_modified"].timestamp() < before]

    async def _sync(self, name: str) -> None:
        """Wait until the file and its folders are on disk; a bucket is durable by itself."""
        if self._folder is not None:
            await asyncio.to_thread(fsync_file, self._folder / name, self._folder)

    def _store(self) -> Any:
        if self._folder is not None:
            check_marker(self._folder, CONTENT)
        return self._opened

    @cached_property
    def _opened(self) -> Any:
        url = self._settings.storage_url
        if url is None:
            return deferred_imports.obstore().store.LocalStore(str(self._folder))
        return deferred_imports.obstore().store.from_url(url)


def _unlink(path: Path) -> None:
    path.unlink(missing_ok=True)
    fsync_folders([path.parent])


def _old_names(root: Path, folder: str, before: float) -> Iterator[str]:
    for parent, _, names in os.walk(root / folder):
        for name in names:
            path = Path(parent, name)
            with suppress(FileNotFoundError):  # removed meanwhile
                if path.stat().st_mtime < before:
                    yield path.relative_to(root).as_posix()
