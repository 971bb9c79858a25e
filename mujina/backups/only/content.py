"""Writes the repositories and files of a project out of a set, before the rows that name them."""

import asyncio
import shutil
from collections.abc import AsyncIterator, Iterable, Mapping
from pathlib import Path
from typing import Final

from mujina.adapters.git.storage import DEFAULT, RepositoryStorage
from mujina.adapters.storage_marker import has_marker
from mujina.backups.backing_up import FILES
from mujina.backups.errors import BackupError
from mujina.backups.manifest import FileEntry, Manifest
from mujina.backups.parts import PartReader, Progress
from mujina.kernel.storage.files import Files
from mujina.kernel.storage.fsync import folders_above, fsync_folders, fsync_tree

_DRAFT: Final = ".restored"
"""Ends the name of a repository that is being written."""


class SetFiles:
    """The files of a set, by their paths."""

    def __init__(self, manifest: Manifest, reader: PartReader) -> None:
        self._entries = {file.path: file for file in manifest.files}
        self._reader = reader

    def of_repository(self, storage: str, project_id: int, *, wiki: bool) -> dict[str, FileEntry]:
        """The files of a repository, by their paths in it."""
        prefix = f"{RepositoryStorage.of(Path('/'), storage).repo_path(project_id, wiki=wiki)}/".removeprefix("/")
        return {path.removeprefix(prefix): file for path, file in self._entries.items() if path.startswith(prefix)}

    def of_key(self, key: str) -> FileEntry | None:
        """A file of the storage."""
        return self._entries.get(f"{FILES}/{key}")

    def read_small(self, path: str) -> bytes:
        """The content of a file of the data folder."""
        file = self._entries.get(path)
        if file is None:
            raise BackupError(f"The set has no file {path}.")
        return b"".join(self._reader.read(piece) for piece in file.pieces)

    def check(self, files: Iterable[FileEntry], progress: Progress) -> None:
        """Read every part that these files need; `BackupError` names one that is missing or damaged."""
        parts = sorted({piece.part for file in files for piece in file.pieces})
        for done, part in enumerate(parts, 1):
            self._reader.read_part(part)
            progress("check", done, len(parts))

    def write(self, files: Mapping[str, FileEntry], folder: Path) -> None:
        """Write these files below the folder."""
        for name, file in files.items():
            path = folder / name
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with path.open("wb") as written:
                written.writelines(self._reader.read(piece) for piece in file.pieces)

    async def pieces(self, file: FileEntry) -> AsyncIterator[bytes]:
        for piece in file.pieces:
            yield await asyncio.to_thread(self._reader.read, piece)


def place_of(data: Path, storage: str) -> str:
    """The storage of repositories of this name, or the first one if there is none here."""
    return storage if has_marker(RepositoryStorage.of(data, storage).root) else DEFAULT


def write_repository(
    source: SetFiles, files: Mapping[str, FileEntry], data: Path, storage: str, project_id: int, *, wiki: bool
) -> None:
    """The repository of a project that no row names yet; what an interrupted call left there is replaced."""
    root = RepositoryStorage.of(data, storage)
    path = root.repo_path(project_id, wiki=wiki)
    draft = path.with_suffix(_DRAFT)
    for former in (draft, path):
        shutil.rmtree(former, ignore_errors=True)
    source.write(files, draft)
    for folder in ("refs", "objects/pack"):
        (draft / folder).mkdir(parents=True, exist_ok=True)
    fsync_tree(draft)
    draft.rename(path)
    fsync_folders(folders_above(path, root.root.parent))


def remove_repository(storage: RepositoryStorage, project_id: int) -> None:
    """Remove what was written for a project that no row names."""
    for wiki in (False, True):
        path = storage.repo_path(project_id, wiki=wiki)
        for former in (path.with_suffix(_DRAFT), path):
            shutil.rmtree(former, ignore_errors=True)


async def has_file(storage: Files, key: str) -> bool:
    """Whether the storage has the file."""
    try:
        await storage.pieces(key)
    except FileNotFoundError:
        return False
    return True


async def write_files(source: SetFiles, storage: Files, keys: Mapping[str, str], progress: Progress) -> list[str]:
    """Store the files under their new keys; returns the keys of those that the set lacks."""
    missing = list[str]()
    for done, (old, new) in enumerate(sorted(keys.items()), 1):
        file = source.of_key(old)
        if file is None:
            missing.append(old)
        elif not file.pieces:
            await storage.put(new, b"")
        else:
            await storage.put(new, source.pieces(file))
        progress("files", done, len(keys))
    return missing
