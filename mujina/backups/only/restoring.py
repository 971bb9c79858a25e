"""Restores one project, or one group with everything in it, out of a set into an instance that may be in use.

First its repositories and files are written, under ids that were reserved for it and that no row names; then one
transaction inserts all rows. So others see all of it or nothing, and what was interrupted can be run again.
"""

import shutil
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex
from typing import Final, NamedTuple

import apsw
import msgspec

from mujina.adapters.file_locks import locked_folder
from mujina.adapters.git.storage import RepositoryStorage
from mujina.backups.errors import BackupError
from mujina.backups.filling import fill_sqlite
from mujina.backups.manifest import Manifest
from mujina.backups.only.adjustments import Reencryption
from mujina.backups.only.content import SetFiles, has_file, place_of, remove_repository, write_files, write_repository
from mujina.backups.only.inserting import OnlyMark, insert_all
from mujina.backups.only.keys import find_keys, new_key
from mujina.backups.only.mapping import RowMapping, reserve
from mujina.backups.only.people import find_people
from mujina.backups.only.place import find_destination
from mujina.backups.parts import PartReader, Progress
from mujina.backups.restoring import StoredRows, check_revisions
from mujina.backups.rows import sqlite_rows
from mujina.kernel.db.sqlite.connection import connect as connect_sqlite
from mujina.kernel.secrets import INSTANCE_KEY, Vault
from mujina.kernel.services import Services
from mujina.kernel.storage.fsync import fsync_path
from mujina.kernel.text.folding import fold
from mujina.migrations.upgrade import migrate
from mujina.planning.storage.operations import prepare_storage

FOLDER: Final = "restore-only"
"""In the data folder while a project is restored: the rows of the set, and the mark."""
_MARK: Final = "mark.json"
_GROUPS: Final = """
    WITH RECURSIVE below (id) AS (
        SELECT n.id FROM namespaces n JOIN routes r ON r.namespace_id = n.id WHERE r.path_folded = ? AND n.kind = 'group'
        UNION ALL SELECT n.id FROM namespaces n JOIN below ON n.parent_id = below.id WHERE n.deleted_at IS NULL)
    SELECT id FROM below"""
_PROJECTS: Final = """
    SELECT p.id FROM projects p WHERE p.deleted_at IS NULL AND (p.namespace_id IN ({})
        OR p.id = (SELECT r.project_id FROM routes r WHERE r.path_folded = ?)) ORDER BY p.id"""


class Restored(NamedTuple):
    """What was restored, and what was not."""

    path: str
    projects: int
    rows: int
    files: int
    missing_people: list[str]
    """The usernames of people who are not here."""
    left_out: dict[str, int]
    """Rows that refer to something that is not here, by table."""
    missing_files: list[str]
    unreadable_secrets: int


async def restore_only(
    services: Services, reader: PartReader, manifest: Manifest, only: str, place: str | None, progress: Progress
) -> Restored | None:
    """The project or group is here, under the path `place` or its own; None if an interrupted call had restored it already."""
    check_revisions(manifest)
    only, place = only.strip("/"), (place or only).strip("/")
    folder = services.settings.data / FOLDER
    with _locked(folder):
        mark = _read_mark(folder)
        if mark is not None and (mark.set, mark.only, mark.place) != (manifest.id, only, place):
            raise BackupError(
                f"The restoration of {mark.only} from the set {mark.set} was interrupted: run it again first, with "
                f"--only {mark.only} --at {mark.set} --as {mark.place}, or remove {folder} to give it up."
            )
        restored = None
        try:
            if mark is None or not await _is_restored(services, mark):
                restored = await _Restoration(services, reader, manifest, progress, folder).run(only, place, mark)
        except BackupError:
            _abandon(folder, services.settings.data)
            raise
        shutil.rmtree(folder)
        return restored


@contextmanager
def _locked(folder: Path) -> Generator[None]:
    folder.mkdir(mode=0o700, exist_ok=True)
    try:
        with locked_folder(folder):
            yield
    except BlockingIOError:
        raise BackupError(
            "Another `mujina restore --only` restores into this instance: run this when it has ended."
        ) from None


def _abandon(folder: Path, data: Path) -> None:
    """What is refused leaves no repository behind; files that no row names are removed by the daily clean-up."""
    if (mark := _read_mark(folder)) is not None:
        for root in (data / "repositories").iterdir():
            for id in mark.projects.values():
                remove_repository(RepositoryStorage(root.absolute()), id)
    shutil.rmtree(folder)


def _read_mark(folder: Path) -> OnlyMark | None:
    path = folder / _MARK
    return msgspec.json.decode(path.read_bytes(), type=OnlyMark) if path.exists() else None


async def _is_restored(services: Services, mark: OnlyMark) -> bool:
    """Whether the transaction of an interrupted call was committed."""
    async with services.database.reading() as tx:
        projects = await tx.values("SELECT p.id FROM projects p WHERE p.id IN :ids", ids=list(mark.projects.values()))
        spaces = await tx.values("SELECT n.id FROM namespaces n WHERE n.id IN :ids", ids=list(mark.namespaces.values()))
    return bool(projects or spaces)


class _Restoration:
    """One call: from the set to rows that are committed."""

    def __init__(
        self, services: Services, reader: PartReader, manifest: Manifest, progress: Progress, folder: Path
    ) -> None:
        self._services, self._reader, self._manifest, self._progress = services, reader, manifest, progress
        self._folder = folder
        self._source = SetFiles(manifest, reader)

    async def run(self, only: str, place: str, mark: OnlyMark | None) -> Restored:
        rows = await self._open_rows()
        try:
            spaces = [id for (id,) in sqlite_rows(rows, _GROUPS, fold(only))]
            projects = [id for (id,) in sqlite_rows(rows, _PROJECTS.format(", ".join(map(str, spaces))), fold(only))]
            if not spaces and not projects:
                raise BackupError(f"The set {self._manifest.id} has no project or group {only}.")
            async with self._services.database.reading() as tx:
                await find_destination(tx, rows, only, place, is_group=bool(spaces))
            keys = find_keys(self._services.product, rows, spaces, projects)
            self._check(rows, keys, projects)
            mark = mark or await self._begin(only, place, spaces, projects)
            self._write_repositories(rows, mark)
            missing = await self._write_files(rows, mark, keys)
            restored = await self._insert(rows, mark, len(keys) - len(missing), missing)
            await self._write_files(rows, mark, keys, again=True)
            return restored
        finally:
            rows.close()

    async def _open_rows(self) -> apsw.Connection:
        """The rows of the set, with the schema of this version; what is damaged is found before they are written."""
        file = self._folder / "rows.db"
        for former in self._folder.glob("rows.db*"):
            former.unlink()
        for part in sorted({piece.part for table in self._manifest.tables for piece in table.pieces}):
            self._reader.read_part(part)
        fill_sqlite(file, StoredRows(self._manifest, self._reader, self._progress))
        await migrate(f"sqlite:///{file}")
        return connect_sqlite(file)

    def _check(self, rows: apsw.Connection, keys: Iterable[str], projects: list[int]) -> None:
        """Everything that will be read is undamaged: before anything is written here."""
        files = [file for key in keys if (file := self._source.of_key(key))]
        for id, storage in _storages(rows, projects).items():
            for wiki in (False, True):
                files += self._source.of_repository(storage, id, wiki=wiki).values()
        self._source.check(files, self._progress)

    async def _begin(self, only: str, place: str, spaces: list[int], projects: list[int]) -> OnlyMark:
        """Reserve ids, and note them: an interrupted call is repeated with the same ones."""
        await prepare_storage(self._services)
        async with self._services.database.transaction() as tx:
            mark = OnlyMark(
                set=self._manifest.id, only=only, place=place, token=token_hex(16),
                namespaces=dict(zip(spaces, await reserve(tx, "namespaces", len(spaces)), strict=True)),
                projects=dict(zip(projects, await reserve(tx, "projects", len(projects)), strict=True)),
            )  # fmt: skip
        draft = self._folder / f".{_MARK}"
        draft.write_bytes(msgspec.json.encode(mark))
        fsync_path(draft)
        draft.rename(self._folder / _MARK)
        fsync_path(self._folder)
        return mark

    def _write_repositories(self, rows: apsw.Connection, mark: OnlyMark) -> None:
        data = self._services.settings.data
        storages = _storages(rows, list(mark.projects))
        for done, (old, new) in enumerate(mark.projects.items(), 1):
            for wiki in (False, True):
                files = self._source.of_repository(storages[old], old, wiki=wiki)
                if "HEAD" in files:
                    write_repository(self._source, files, data, place_of(data, storages[old]), new, wiki=wiki)
            self._progress("repositories", done, len(mark.projects))

    async def _write_files(
        self, rows: apsw.Connection, mark: OnlyMark, keys: Mapping[str, str], *, again: bool = False
    ) -> list[str]:
        """The keys of the files that the set lacks. LFS objects of which a row here has the file are not written.

        `again`: after the rows, only those that are gone. If a former project of the same files was being removed, its
        uploads and LFS objects went as long as no row of this one named them.
        """
        async with self._services.database.reading() as tx:
            here = dict(await tx.rows(tuple[str, str], "SELECT o.oid, o.file FROM lfs_objects o"))
        others = {
            file
            for oid, file in sqlite_rows(rows, "SELECT oid, file FROM lfs_objects")
            if oid in here and (not again or here[oid] != file)
        }
        wanted = {key: new_key(mark.token, table, key) for key, table in keys.items() if key not in others}
        if again:
            wanted = {key: new for key, new in wanted.items() if not await has_file(self._services.files, new)}
        return await write_files(self._source, self._services.files, wanted, self._progress)

    async def _insert(self, rows: apsw.Connection, mark: OnlyMark, files: int, missing: list[str]) -> Restored:
        vault = self._services.vault
        key = self._source.read_small(f"secrets/{INSTANCE_KEY}").decode().strip()
        secrets = Reencryption(Vault(key), vault)
        async with self._services.database.transaction() as tx:
            people = await find_people(tx, rows)
            mapping = RowMapping(tx, rows, people=people, vault=vault, secrets=secrets, token=mark.token)
            await insert_all(tx, rows, mark, mapping, self._services.settings.data)
        return Restored(
            path=mark.place, projects=len(mark.projects), rows=mapping.inserted.total(), files=files,
            missing_people=sorted(people.names.get(id, f"user {id}") for id in mapping.missing_people),
            left_out=dict(sorted((+mapping.left_out).items())), missing_files=missing,
            unreadable_secrets=secrets.unreadable,
        )  # fmt: skip


def _storages(rows: apsw.Connection, projects: Sequence[int]) -> dict[int, str]:
    """The name of the storage of the repositories of each project."""
    listed = ", ".join(map(str, projects))
    return dict(sqlite_rows(rows, f"SELECT p.id, p.repository_storage FROM projects p WHERE p.id IN ({listed})"))
