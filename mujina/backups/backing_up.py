"""Makes a set: the database first, as of one instant, then everything that it refers to."""

import os
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, Final

import msgspec

from mujina.adapters.file_locks import BackupRunning, backup_lock
from mujina.adapters.storage import local_folder
from mujina.backups.buckets import explained, list_bucket, open_bucket, retry_truncated
from mujina.backups.encryption import BackupCredentials, Cipher
from mujina.backups.errors import BackupError
from mujina.backups.manifest import (
    FORMAT,
    PARTS,
    SETS,
    FileEntry,
    Manifest,
    TableEntry,
    create_header,
    list_sets,
    open_header,
    read_manifest,
    write_manifest,
)
from mujina.backups.parts import MAX_BYTES, PartWriter, Progress
from mujina.backups.repositories import RepositoryCopy, list_files, read_repositories
from mujina.backups.rows import DatabaseSnapshot, Table, open_snapshot
from mujina.backups.targets import HEADER, BackupTarget
from mujina.configuration import FILE
from mujina.kernel import clock, deferred_imports
from mujina.kernel.build import VERSION
from mujina.kernel.concurrency.pauses import Pauses
from mujina.kernel.secrets import INSTANCE_KEY
from mujina.settings import Settings

MAX_ROWS: Final = 2_000
MAX_ROW_BYTES: Final = 4 * 1024 * 1024
"""Bytes of rows that are stored together."""
ATTEMPTS: Final = 5
_CONTENT_NAMED: Final = (".pack", ".idx", ".rev")
"""Files of git whose names tell their content: git touches packs that it uses."""
FILES: Final = "files"
FOLDERS: Final = ("secrets", "mails")
"""What a set has of the data folder beside repositories and files."""


def back_up(
    settings: Settings,
    target: BackupTarget,
    credentials: BackupCredentials,
    *,
    encrypt: bool,
    keep: int | None,
    settings_file: Path,
    progress: Progress,
) -> Manifest:
    """Add a set to the target, which shares what did not change with the one before; then remove all but `keep` sets."""
    _check_purpose(target)
    try:
        with backup_lock(settings.data), target.locked():
            cipher = _open(target, credentials, encrypt=encrypt)
            ids = list_sets(target)
            last = _last(target, cipher, ids)
            writer = PartWriter(target, cipher, last)
            try:
                manifest = _Run(settings, writer, last, progress).make(settings_file)
                manifest.id = _new_id(manifest.created_at, ids)
            except BaseException:
                writer.abandon()
                raise
            manifest.parts = writer.close()
            manifest.new_bytes = writer.new_bytes
            write_manifest(target, cipher, manifest)
            target.sync()
            if keep is not None:
                with target.removing():
                    _prune(target, cipher, keep)
            return manifest
    except BackupRunning:
        raise BackupError(
            f"Another `mujina backup` copies {settings.data}: run this again when it has ended."
        ) from None


def _check_purpose(target: BackupTarget) -> None:
    """Refuse a folder of something else before anything is written to it."""
    if not target.is_empty() and target.get(HEADER) is None:
        raise BackupError(f"{target} is neither empty nor a target of backups: give an empty one.")


def _open(target: BackupTarget, credentials: BackupCredentials, *, encrypt: bool) -> Cipher:
    """The cipher of the target, which becomes one of backups if it is empty."""
    if target.is_empty():
        return create_header(target, credentials, encrypt=encrypt)
    return open_header(target, credentials, encrypt=encrypt)


def _last(target: BackupTarget, cipher: Cipher, ids: Sequence[str]) -> Manifest | None:
    """The newest set that can be read, unless its checksums are others: it is only used to store less."""
    for id in reversed(ids):
        with suppress(BackupError):
            manifest = read_manifest(target, cipher, id)
            return manifest if manifest.format == FORMAT else None
    return None


class _Run:
    """One set, while it is made."""

    def __init__(self, settings: Settings, writer: PartWriter, last: Manifest | None, progress: Progress) -> None:
        self._settings, self._writer, self._progress = settings, writer, progress
        self._files = {file.path: file for file in last.files} if last else {}
        self._pauses = Pauses()

    def make(self, settings_file: Path) -> Manifest:
        with open_snapshot(self._settings.database) as snapshot:
            created = datetime.now(UTC)
            repositories = read_repositories(self._settings.data, snapshot)
            ((revision,),) = snapshot.values("SELECT revision FROM schema_revision")
            counters = snapshot.counters()
            tables = list(self._tables(snapshot))
        self._pauses = Pauses()  # not before: while the snapshot is open, the database keeps old rows for it
        files = [file for repository in self._counted("repositories", repositories) for file in self._copy(repository)]
        files += self._data_files()
        files += self._small_files(settings_file)
        return Manifest(
            id="", created_at=clock.iso(created), version=VERSION, revisions=revision.split(),
            engine=snapshot.engine, repositories=len(repositories), counters=counters, tables=tables, files=files,
            new_bytes=0, parts=[],
        )  # fmt: skip

    def _counted(self, name: str, items: list[Any]) -> Iterator[Any]:
        for done, item in enumerate(items):
            self._progress(name, done, len(items))
            yield item
        self._progress(name, len(items), len(items))

    def _tables(self, snapshot: DatabaseSnapshot) -> Iterator[TableEntry]:
        for table in self._counted("tables", snapshot.tables()):
            stored = TableEntry(table.name, list(table.columns), 0, [])
            for rows in _batches(snapshot, table):
                stored.rows += len(rows)
                stored.pieces.append(self._writer.add(zlib.compress(msgspec.msgpack.encode(rows), 1)))
            yield stored

    def _copy(self, repository: RepositoryCopy) -> list[FileEntry]:
        """The files of a repository, listed again if housekeeping that ran already replaces packs."""
        for attempt in range(ATTEMPTS):
            try:
                files = [self._file(path) for path in list_files(repository.path)]
            except FileNotFoundError:
                if attempt == ATTEMPTS - 1:
                    raise
                time.sleep(attempt)
            else:
                refs = self._content(f"{repository.path}/packed-refs", repository.packed_refs)
                return [*files, refs] if files else []  # its removal had begun before the backup
        raise AssertionError

    def _data_files(self) -> Iterator[FileEntry]:
        """Uploads, LFS objects and artifacts, wherever they are stored, and further folders of the data folder."""
        data = self._settings.data
        for path in (data / "repositories").glob("*/.mujina"):
            yield self._file(str(path))
        folder = local_folder(self._settings)
        for name, root in {
            **{name: data / name for name in FOLDERS},
            **({} if folder is None else {FILES: folder}),
        }.items():
            for path in self._counted(name, _walk(root)):
                with suppress(FileNotFoundError):  # an interrupted upload: what the database knows is not removed
                    yield self._file(path, name + path.removeprefix(str(root)))
        if folder is None:
            yield from self._bucket_files(self._settings.storage_url or "")

    def _bucket_files(self, url: str) -> Iterator[FileEntry]:
        store = open_bucket(url)
        with explained(url):
            for path, found in self._counted(FILES, list(list_bucket(store).items())):
                changed = int(found["last_modified"].timestamp() * 1_000_000)
                with suppress(FileNotFoundError):
                    yield self._entry(
                        f"{FILES}/{path}", found["size"], changed, partial(_ranges, store, path, found["size"])
                    )

    def _small_files(self, settings_file: Path) -> Iterator[FileEntry]:
        """The settings, and the key of the instance if it is one of them."""
        if settings_file.exists():
            yield self._content(f"{self._settings.data}/{FILE}", settings_file.read_bytes())
        key = self._settings.data / "secrets" / INSTANCE_KEY
        if self._settings.instance_key:
            yield self._content(str(key), self._settings.instance_key.encode() + b"\n")
        elif not key.exists():
            raise BackupError(f"There is no instance key in {key}: set instance_key as the server has it.")

    def _file(self, path: str, name: str | None = None) -> FileEntry:
        """A file of the data folder, or one of another place that has this name there."""
        stat = os.stat(path)  # noqa: PTH116 - a backup in which nothing changed is little else
        name = name or self._name(path)
        return self._entry(name, stat.st_size, stat.st_mtime_ns, partial(_read_file, path, stat.st_size))

    def _name(self, path: str) -> str:
        """The path in the data folder."""
        return path.removeprefix(f"{self._settings.data}/")

    def _entry(self, name: str, size: int, changed: int, read: Callable[[], Iterator[bytes]]) -> FileEntry:
        """The file, which is not read if it has not changed since the last set."""
        last = self._files.get(name)
        if last is not None and last.size == size and (last.changed == changed or name.endswith(_CONTENT_NAMED)):
            pieces = self._writer.reuse(last.pieces)
            if pieces is not None:
                return FileEntry(name, size, changed, pieces)
        entry = FileEntry(name, 0, changed, [])
        for data in read():
            entry.size += len(data)
            entry.pieces.append(self._writer.add(data))
            self._pauses.rest()
        return entry

    def _content(self, path: str, data: bytes) -> FileEntry:
        name = self._name(path)
        pieces = [self._writer.add(data[start : start + MAX_BYTES]) for start in range(0, len(data), MAX_BYTES)]
        return FileEntry(name, len(data), 0, pieces)


def _batches(snapshot: DatabaseSnapshot, table: Table) -> Iterator[list[tuple[Any, ...]]]:
    rows, size = list[tuple[Any, ...]](), 0
    for row in snapshot.rows(table):
        rows.append(row)
        size += sum(len(value) for value in row if isinstance(value, str | bytes))
        if len(rows) >= MAX_ROWS or size >= MAX_ROW_BYTES:
            yield rows
            rows, size = [], 0
    if rows:
        yield rows


def _read_file(path: str, size: int) -> Iterator[bytes]:
    """The bytes of the file up to this size."""
    with Path(path).open("rb", buffering=0) as file:
        while size > 0 and (data := file.read(min(size, MAX_BYTES))):
            size -= len(data)
            yield data


def _ranges(store: Any, path: str, size: int) -> Iterator[bytes]:
    for start in range(0, size, MAX_BYTES):
        end = min(size, start + MAX_BYTES)
        yield retry_truncated(partial(_read_range, store, path, start, end))


def _read_range(store: Any, path: str, start: int, end: int) -> bytes:
    return bytes(deferred_imports.obstore().get_range(store, path, start=start, end=end))


def _walk(folder: Path) -> list[str]:
    return [f"{where}/{name}" for where, _, names in os.walk(folder) for name in sorted(names)]


def _new_id(created_at: str, ids: Sequence[str]) -> str:
    """The time, or a later one if the target has a set of a later one: ids are in the order of the sets."""
    created = datetime.fromisoformat(created_at)
    while (id := f"{created:%Y%m%dT%H%M%SZ}") <= max(ids, default=""):
        created += timedelta(seconds=1)
    return id


def _prune(target: BackupTarget, cipher: Cipher, keep: int) -> None:
    """Remove all but the newest sets, and then every part that none of these needs."""
    ids = list_sets(target)
    try:
        kept = [read_manifest(target, cipher, id) for id in ids[-keep:]]
    except BackupError as error:
        raise BackupError(
            f"The set {ids[-1]} is complete, but no older one was removed: {error} Delete its file in {SETS}."
        ) from None
    needed = {part.name for manifest in kept for part in manifest.parts}
    for id in ids[:-keep]:
        target.remove(SETS + id)
    target.sync()
    for path in target.sizes(PARTS):
        if path.rpartition("/")[2] not in needed:
            target.remove(PARTS + path)
