"""Restores a set into an empty place: everything is checked first, then files are written, and the database last."""

import asyncio
import os
import re
import shutil
import tomllib
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from secrets import token_hex
from typing import Any, Final

import msgspec

from mujina.adapters.file_locks import locked_folder
from mujina.backups.backing_up import FILES
from mujina.backups.buckets import explained, list_bucket, open_bucket
from mujina.backups.encryption import Cipher
from mujina.backups.errors import RESTORE_MARK as MARK
from mujina.backups.errors import BackupError
from mujina.backups.filling import fill_postgres, fill_sqlite, is_marked
from mujina.backups.manifest import FileEntry, Manifest, TableEntry
from mujina.backups.parts import PartReader, Progress
from mujina.backups.targets import BackupTarget
from mujina.configuration import FILE
from mujina.kernel import deferred_imports
from mujina.kernel.db.connect import connect
from mujina.kernel.storage.fsync import fsync_path, fsync_tree
from mujina.migrations.revisions import known
from mujina.migrations.state import schema_state
from mujina.migrations.upgrade import migrate
from mujina.settings import Settings

DONE: Final = "restored.json"
"""In a data folder that is restored, and was not checked."""
_OF_OTHER_PLACE: Final = re.compile(rb"""^[ \t]*["']?(?:database_url|storage_url)["']?[ \t]*=""", re.MULTILINE)
_COMMENTED: Final = b"# Of the instance that was backed up: "


class RestoreMark(msgspec.Struct, frozen=True):
    """A restoration that has begun."""

    set: str
    token: str


class StoredRows:
    """The rows of a set."""

    def __init__(self, manifest: Manifest, reader: PartReader, progress: Progress) -> None:
        self.revisions, self.counters = manifest.revisions, manifest.counters
        self._tables, self._reader, self._progress = manifest.tables, reader, progress

    def tables(self) -> Iterator[tuple[str, Sequence[str], Iterable[tuple[Any, ...]]]]:
        for done, table in enumerate(self._tables, 1):
            yield table.name, table.columns, self._rows(table)
            self._progress("tables", done, len(self._tables))

    def _rows(self, table: TableEntry) -> Iterator[tuple[Any, ...]]:
        for piece in table.pieces:
            rows: list[tuple[Any, ...]] = msgspec.msgpack.decode(zlib.decompress(self._reader.read(piece)))
            yield from rows


def restore(settings: Settings, target: BackupTarget, cipher: Cipher, manifest: Manifest, progress: Progress) -> None:
    """The data folder and the database have the content of the set; an interrupted call can be repeated."""
    check_revisions(manifest)
    if _read_mark(settings.data / DONE).set == manifest.id:  # interrupted during the checks that follow
        return
    _check_place(settings, manifest)
    _check_paths(manifest)
    reader = PartReader(target, cipher, manifest)
    for number in range(len(manifest.parts)):
        reader.read_part(number)
        progress("check", number + 1, len(manifest.parts))
    settings.data.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        with locked_folder(settings.data):
            _fill(settings, manifest, reader, progress)
    except BlockingIOError:
        raise BackupError(f"Another `mujina restore` restores into {settings.data}.") from None


def _fill(settings: Settings, manifest: Manifest, reader: PartReader, progress: Progress) -> None:
    mark = _check_place(settings, manifest)  # once more: another call may have filled it since
    _write_mark(settings.data, mark)
    _write_files(settings, manifest, reader, progress)
    rows = StoredRows(manifest, reader, progress)
    if settings.sqlite_file is not None:
        fill_sqlite(settings.sqlite_file, rows)
    elif not is_marked(settings.database, mark.token):
        fill_postgres(settings.database, rows, mark.token)
    asyncio.run(migrate(settings.database))
    (settings.data / MARK).rename(settings.data / DONE)
    fsync_path(settings.data)


def check_revisions(manifest: Manifest) -> None:
    """`BackupError` if a newer version wrote the set."""
    if unknown := set(manifest.revisions) - set(known()):
        raise BackupError(
            f"The set {manifest.id} has the schema {max(unknown)} of Mujina {manifest.version}, which is newer: "
            "install that version to restore it."
        )


def finish(data: Path) -> None:
    """The restored folder has been checked: from here on, it is one as any other."""
    (data / DONE).unlink(missing_ok=True)


def _read_mark(path: Path) -> RestoreMark:
    return msgspec.json.decode(path.read_bytes(), type=RestoreMark) if path.exists() else RestoreMark("", "")


def _check_place(settings: Settings, manifest: Manifest) -> RestoreMark:
    """The mark of this restoration; `BackupError` if the place has anything but what an interrupted one left."""
    data = settings.data
    if (data / MARK).exists():
        mark = _read_mark(data / MARK)
        if mark.set != manifest.id:
            raise BackupError(
                f"{data} was partly restored from the set {mark.set}: give --at {mark.set}, or another --data."
            )
    elif data.exists() and any(entry.name != f".{MARK}" for entry in data.iterdir()):
        raise BackupError(f"The data folder {data} is not empty: give an empty one with --data.")
    else:
        mark = RestoreMark(manifest.id, token_hex(16))
    url = settings.storage_url
    if url and not (data / MARK).exists() and list_bucket(open_bucket(url)):
        raise BackupError(f"{url} is not empty: set storage_url to an empty place.")
    file = settings.sqlite_file
    if file is not None and file.exists() and not file.absolute().is_relative_to(data):
        raise BackupError(f"The database file {file} exists: give another one with --database-url.")
    if file is None and not _is_free(settings.database, mark):
        raise BackupError("The database is not empty: give an empty one with --database-url.")
    return mark


def _is_free(url: str, mark: RestoreMark) -> bool:
    """Whether the database is empty, or an interrupted call filled it."""

    async def is_empty() -> bool:
        database = connect(url)
        await database.open()
        try:
            return await schema_state(database) == "empty"
        finally:
            await database.close()

    return asyncio.run(is_empty()) or is_marked(url, mark.token)


def _check_paths(manifest: Manifest) -> None:
    for file in manifest.files:
        path = PurePosixPath(file.path)
        if path.is_absolute() or ".." in path.parts:
            raise BackupError(f"The set {manifest.id} has the file {file.path}, which is not in the data folder.")


def _write_mark(data: Path, mark: RestoreMark) -> None:
    """From here on the folder is one that is being restored; what an interrupted call wrote is removed."""
    data.chmod(0o700)
    draft = data / f".{MARK}"
    draft.write_bytes(msgspec.json.encode(mark))
    fsync_path(draft)
    draft.rename(data / MARK)
    fsync_path(data)
    for entry in data.iterdir():
        if entry.name != MARK:
            shutil.rmtree(entry) if entry.is_dir() else entry.unlink()


def _write_files(settings: Settings, manifest: Manifest, reader: PartReader, progress: Progress) -> None:
    """In the order of the parts, so that each is read once."""
    data, url = settings.data, settings.storage_url
    bucket = open_bucket(url) if url else None
    files = sorted(manifest.files, key=lambda file: file.pieces[0].part if file.pieces else -1)
    for done, file in enumerate(files, 1):
        if bucket is not None and file.path.startswith(f"{FILES}/"):
            with explained(url or ""):
                path, pieces = file.path.removeprefix(f"{FILES}/"), map(reader.read, file.pieces)
                content = pieces if len(file.pieces) > 1 else b"".join(pieces)  # a large file is never whole in memory
                deferred_imports.obstore().put(bucket, path, content)
        else:
            _write_file(data, file, reader)
        progress("files", done, len(files))
    for head in (data / "repositories").glob("*/**/*.git/HEAD"):
        (head.parent / "refs").mkdir(exist_ok=True)
        (head.parent / "objects" / "pack").mkdir(parents=True, exist_ok=True)
    fsync_tree(data)


def _write_file(data: Path, file: FileEntry, reader: PartReader) -> None:
    path = data / file.path
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    content = (reader.read(piece) for piece in file.pieces)
    if file.path == FILE:
        content = iter([without_places(b"".join(content))])
    with path.open("wb") as written:
        path.chmod(0o600)
        written.writelines(content)
    if file.changed:
        os.utime(path, ns=(file.changed, file.changed))


def without_places(settings: bytes) -> bytes:
    """The settings file without the database and the storage of the instance that was backed up, which goes on using them."""
    text = _OF_OTHER_PLACE.sub(lambda found: _COMMENTED + found[0], settings)
    left: Mapping[str, Any] = tomllib.loads(text.decode())
    if {"database_url", "storage_url"} & set(left):
        raise BackupError(f"The {FILE} of the set names a database or a storage in a way that cannot be commented out.")
    return text
