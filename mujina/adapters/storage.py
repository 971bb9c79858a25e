"""Files in a local folder or in a bucket: S3, Google or Azure, by URL."""

import asyncio
import os
from collections.abc import AsyncGenerator, AsyncIterator, Generator, Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from functools import cached_property
from itertools import islice
from pathlib import Path
from time import time
from typing import Any, Final, Literal

from mujina.adapters import unnamed_files
from mujina.adapters.file_locks import backup_is_running
from mujina.adapters.storage_marker import MARKER, FolderMarker, Marker, check_marker, marker_id, marker_text
from mujina.kernel import deferred_imports
from mujina.kernel.storage.errors import StorageNotMounted
from mujina.kernel.storage.fsync import fsync_file, fsync_folders
from mujina.settings import Settings

CHUNK: Final = 65_536
BATCH: Final = 500
"""Files that are listed together."""


CONTENT: Final = "files"
"""The note for people about the contents of the folder."""


BUCKET: Final = {"allow_http": True, "connect_timeout": "3s", "read_timeout": "20s", "timeout": "1day"}
"""The limits of one request: a store that is silent for long is given up, a long download to a slow client is not. Plain
HTTP is used where the operator names such an address."""
RETRIES: Final = {"retry_timeout": timedelta(seconds=3)}


def local_folder(settings: Settings) -> Path | None:
    """The folder of the files in the data folder; None if they are elsewhere."""
    return None if settings.storage_url else settings.data.absolute() / "files"


def files_folder(settings: Settings) -> Path | None:
    """The folder of the files, wherever it is; None if they are in a bucket."""
    scheme, _, path = (settings.storage_url or "").partition("://")
    return Path(path) if scheme == "file" else local_folder(settings)


def files_marker(settings: Settings) -> Marker:
    """The marker of the place of the files."""
    folder = files_folder(settings)
    return BucketMarker(settings) if folder is None else FolderMarker(folder)


class FileStorage:
    """The configured file store. It is opened on first use, not at the start.

    Every call raises `StorageMissing` if the disk is not mounted.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._folder = files_folder(settings)

    async def put(self, name: str, data: bytes | AsyncIterator[bytes]) -> None:
        """Store the file durably and atomically; of a stream that raises, or whose process is killed, nothing is stored."""
        store = self._store()
        if self._folder is None or isinstance(data, bytes) or not await _write(self._folder / name, data):
            await deferred_imports.obstore().put_async(store, name, data)
        await self._sync(name)

    async def get(self, name: str) -> bytes | None:
        """The file; None if there is none."""
        try:
            found = await deferred_imports.obstore().get_async(self._store(), name)
        except FileNotFoundError:
            return None
        return bytes(await found.bytes_async())

    async def pieces(self, name: str, start: int = 0, end: int | None = None) -> AsyncGenerator[bytes]:
        """The bytes of the file from `start` to before `end`, in pieces, as fast as they are read.

        `FileNotFoundError` if there is no such file.
        """
        part: Any = {"offset": start} if end is None else (start, end)
        found = await deferred_imports.obstore().get_async(
            self._store(), name, options={"range": part} if start or end else {}
        )
        return (bytes(piece) async for piece in found.stream(min_chunk_size=CHUNK))

    async def copy(self, name: str, to: str) -> None:
        """Store a second file with the content of this one: a link in a local folder, a copy inside a bucket."""
        await deferred_imports.obstore().copy_async(self._store(), name, to)
        await self._sync(to)

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
        if self._folder is not None:
            return deferred_imports.obstore().store.LocalStore(str(self._folder))
        return _open_bucket(self._settings)


class BucketMarker:
    """The marker of a bucket: an object beside the files. `StorageNotMounted` if the store is away or refuses our key.

    It is asked by threads of ours: those of the library may be busy when a command ends, and abort it.
    """

    def __init__(self, settings: Settings) -> None:
        self._obstore: Any = deferred_imports.obstore()
        self.place = f"bucket {settings.storage_url}"
        self._store = _open_bucket(settings)

    async def read(self) -> str | None:
        return await asyncio.to_thread(self._read)

    def _read(self) -> str | None:
        with self._explained(), suppress(FileNotFoundError):
            return marker_id(bytes(self._obstore.get(self._store, MARKER).bytes()))
        return None

    async def create(self, id: str) -> None:
        with suppress(self._obstore.exceptions.AlreadyExistsError):
            await asyncio.to_thread(self._put, id, "create")

    async def replace(self, id: str) -> None:
        await asyncio.to_thread(self._put, id, "overwrite")

    def _put(self, id: str, mode: Literal["create", "overwrite"]) -> None:
        with self._explained():
            self._obstore.put(self._store, MARKER, marker_text(id).encode(), mode=mode)

    async def is_empty(self) -> bool:
        return await asyncio.to_thread(self._is_empty)

    def _is_empty(self) -> bool:
        with self._explained():
            return not any(self._obstore.list(self._store, chunk_size=1))

    @contextmanager
    def _explained(self) -> Generator[None]:
        errors = self._obstore.exceptions
        try:
            yield
        except errors.AlreadyExistsError:
            raise
        except (errors.PermissionDeniedError, errors.UnauthenticatedError) as error:
            raise StorageNotMounted(
                f"The {self.place} refuses the key: check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or the variables "
                "of another store, and what that key may do."
            ) from error
        except errors.BaseError as error:
            raise StorageNotMounted(
                f"The {self.place} cannot be used: see that it exists and runs, and check AWS_ENDPOINT_URL and "
                "AWS_REGION, or the variables of another store."
            ) from error


def list_bucket(settings: Settings, folder: str) -> set[str]:
    """The names of all files below this folder of the bucket. Blocks: not for the event loop."""
    batches: Any = deferred_imports.obstore().list(_open_bucket(settings), prefix=folder, chunk_size=BATCH)
    return {file["path"] for batch in batches for file in batch}


def _open_bucket(settings: Settings) -> Any:
    """The bucket, with the keys and the address that its own variables name, such as `AWS_ACCESS_KEY_ID`."""
    store: Any = deferred_imports.obstore().store
    return store.from_url(settings.storage_url, client_options=BUCKET, retry_config=RETRIES)


async def _write(path: Path, pieces: AsyncIterator[bytes]) -> bool:
    """Write a new file, which appears when it is whole; False, and nothing is read, where the file system cannot do that."""
    file = await asyncio.to_thread(unnamed_files.open_unnamed, path.parent)
    if file is None:
        return False
    with file:
        async for piece in pieces:
            await asyncio.to_thread(file.write, piece)
        await asyncio.to_thread(unnamed_files.name, file, path)
    return True


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
