"""The folders of repositories: below a named root in the data folder, by a hash of the project's id."""

import asyncio
import contextlib
import errno
import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path
from typing import Final

import msgspec

from mujina.adapters.file_locks import backup_is_running
from mujina.adapters.git import git
from mujina.adapters.storage_marker import check_marker
from mujina.kernel.monitoring.logs import log
from mujina.kernel.storage.errors import StorageMissing
from mujina.kernel.storage.fsync import folders_above, fsync_folders, fsync_tree

DEFAULT: Final = "default"
"""The storage of all projects that an administrator did not put elsewhere."""

CONTENT: Final = "repositories"
"""The note for people about the contents of the folders."""
MISSING: Final = "The {} of this project is missing from the server's storage. Please tell an administrator."
_DRAFT: Final = ".draft-"
"""Begins the name of a folder that will be a repository."""
STALE_FILE_SECONDS: Final = 24 * 60 * 60
STALE_LOCK_SECONDS: Final = 60 * 60


class RepositoryStorage(msgspec.Struct, frozen=True):
    """One root of repositories. One is created atomically and durably by the first write to it, never by reading."""

    root: Path

    @classmethod
    def of(cls, data: Path, name: str = DEFAULT) -> "RepositoryStorage":
        return cls(data.absolute() / "repositories" / name)

    def repo_path(self, project_id: int, *, wiki: bool = False) -> Path:
        """The folder of a project's repository, whether it exists or not."""
        digest = hashlib.sha256(str(project_id).encode()).hexdigest()
        return Path(f"{self.root}/@hashed/{digest[:2]}/{digest[2:4]}/{digest}{'.wiki' if wiki else ''}.git")

    def find(self, project_id: int, *, wiki: bool = False) -> Path | None:
        """The folder of a project's repository; None if it does not exist, `StorageMissing` if its disk is not mounted.

        `OSError` if the disk cannot tell.
        """
        repo_path = self.repo_path(project_id, wiki=wiki)
        if (repo_path / "HEAD").exists():
            return repo_path
        check_marker(self.root, CONTENT)
        return None

    def repository(self, project_id: int, *, wiki: bool = False) -> Path:
        """The folder of a project's bare repository that must exist; `StorageMissing` if it does not."""
        found = self.find(project_id, wiki=wiki)
        if found is None:
            log.error("a repository is missing", project=project_id, wiki=wiki)
            raise StorageMissing(MISSING.format("wiki" if wiki else "repository"))
        return found

    async def create(self, project_id: int, *, wiki: bool = False) -> Path:
        """The folder of a project's bare repository, created if missing; concurrent callers get the same one."""
        found = self.find(project_id, wiki=wiki)
        if found is not None:
            return found
        repo_path = self.repo_path(project_id, wiki=wiki)
        await self._make(repo_path)
        return repo_path

    async def empty(self) -> Path:
        """The one repository without refs that is read for all projects to which nothing was ever written."""
        repo_path = self.root / git.EMPTY
        if not (repo_path / "HEAD").exists():
            check_marker(self.root, CONTENT)
            await self._make(repo_path)
        return repo_path

    async def remove(self, project_id: int) -> None:
        """Remove the project's repositories durably, if they exist; `OSError` if a process still writes to one or copies them.

        `StorageMissing` if the disk is not mounted: they would be left there.
        """
        check_marker(self.root, CONTENT)
        if backup_is_running(self.root.parent.parent):
            raise OSError(errno.EBUSY, "a backup copies the repositories")
        for wiki in (False, True):
            repo_path = self.repo_path(project_id, wiki=wiki)
            # Renamed first: a partly removed repository is never used.
            removed = repo_path.with_suffix(".removed")
            await asyncio.to_thread(_erase, removed)
            with contextlib.suppress(FileNotFoundError):
                repo_path.rename(removed)
            await asyncio.to_thread(_erase, removed)
            await asyncio.to_thread(fsync_folders, [repo_path.parent])

    async def replace(self, project_id: int, fill: Callable[[Path], Awaitable[None]], *, wiki: bool = False) -> None:
        """Put a new repository durably in the place of the project's; if `fill` raises, the old one stays."""
        check_marker(self.root, CONTENT)
        repo_path = self.repo_path(project_id, wiki=wiki)
        draft = await asyncio.to_thread(_new_draft, repo_path)
        removed = repo_path.with_suffix(".removed")
        try:
            await git.run(None, "init", "--quiet", "--bare", "--template=", named=[str(draft)])
            await fill(draft)
            await asyncio.to_thread(_erase, removed)
            await asyncio.to_thread(fsync_tree, draft)
            with contextlib.suppress(FileNotFoundError):
                repo_path.rename(removed)
            _publish(draft, repo_path)
            await asyncio.to_thread(fsync_folders, folders_above(repo_path, self.root.parent))
        finally:
            await asyncio.to_thread(shutil.rmtree, draft, ignore_errors=True)
        await asyncio.to_thread(_erase, removed)

    async def _make(self, repo_path: Path) -> None:
        draft = await asyncio.to_thread(_new_draft, repo_path)
        try:
            await git.run(None, "init", "--quiet", "--bare", "--template=", named=[str(draft)])
            await asyncio.to_thread(fsync_tree, draft)
            _publish(draft, repo_path)
            await asyncio.to_thread(fsync_folders, folders_above(repo_path, self.root.parent))
        finally:
            shutil.rmtree(draft, ignore_errors=True)


def unlock(repo_path: Path, seconds: float = STALE_LOCK_SECONDS) -> None:
    """Remove the ref locks of dead processes that are older than this: git itself never does."""
    folders = os.walk(repo_path / "refs")
    locks = [Path(folder, name) for folder, _, names in folders for name in names if name.endswith(".lock")]
    _remove_files([repo_path / "HEAD.lock", repo_path / "packed-refs.lock", *locks], seconds)


def has_locked(repo_path: Path, refs: Iterable[str]) -> bool:
    """Whether one of these refs cannot be moved now, because a process locked it."""
    return any((repo_path / f"{name}.lock").exists() for name in ("packed-refs", *refs))


def sweep(repo_path: Path) -> None:
    """Remove old locks, unfinished packs, quarantines and drafts of dead processes; newer ones may be in use."""
    unlock(repo_path)
    _remove_files([repo_path / "objects" / "info" / "commit-graph.lock"], STALE_LOCK_SECONDS)
    _remove_files((repo_path / "objects" / "pack").glob("tmp_*"), STALE_FILE_SECONDS)
    _remove_folders((repo_path / "objects").glob("tmp_objdir-*"))
    _remove_folders(repo_path.parent.glob(f"{_DRAFT}*"))


def _new_draft(repo_path: Path) -> Path:
    """An empty folder beside the repository, without the drafts that killed processes left there: one may be a whole clone."""
    repo_path.parent.mkdir(parents=True, exist_ok=True)
    _remove_folders(repo_path.parent.glob(f"{_DRAFT}*"))
    return Path(tempfile.mkdtemp(prefix=_DRAFT, dir=repo_path.parent))


def _remove_folders(folders: Iterable[Path]) -> None:
    for folder in folders:
        if _age(folder) > STALE_FILE_SECONDS:
            shutil.rmtree(folder, ignore_errors=True)


def _remove_files(paths: Iterable[Path], seconds: float) -> None:
    for path in paths:
        if _age(path) > seconds:
            path.unlink(missing_ok=True)


def _age(path: Path) -> float:
    """Seconds since the last modification; 0 if it does not exist."""
    try:
        return time.time() - path.stat().st_mtime
    except FileNotFoundError:
        return 0


def _erase(folder: Path) -> None:
    """Remove the folder; `OSError` if a process still writes to it, then call again."""
    shutil.rmtree(folder, ignore_errors=True)
    if folder.exists():
        shutil.rmtree(folder)


def _publish(draft: Path, repo_path: Path) -> None:
    """Move the draft to its folder, unless a concurrent call was first."""
    try:
        draft.rename(repo_path)
    except OSError:
        if not (repo_path / "HEAD").exists():
            raise
