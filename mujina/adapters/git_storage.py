"""Where repositories are: under a named root in the data folder, by a digest of the project's id and never by a path."""

import asyncio
import contextlib
import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import msgspec

from mujina.adapters import git

DEFAULT: Final = "default"
"""The storage every project is in unless an administrator says otherwise."""

ABANDONED_SECONDS: Final = 24 * 60 * 60
FORGOTTEN_SECONDS: Final = 60 * 60


class RepositoryStorage(msgspec.Struct, frozen=True):
    """One root of repositories. A repository is made when it is first needed: whole, or not at all."""

    root: Path

    @classmethod
    def of(cls, data: Path, name: str = DEFAULT) -> "RepositoryStorage":
        return cls(data.absolute() / "repositories" / name)

    def place(self, project_id: int, *, wiki: bool = False) -> Path:
        """Where the repository of a project is, or will be."""
        digest = hashlib.sha256(str(project_id).encode()).hexdigest()
        return self.root / "@hashed" / digest[:2] / digest[2:4] / f"{digest}{'.wiki' if wiki else ''}.git"

    async def repository(self, project_id: int, *, wiki: bool = False) -> Path:
        """The bare repository of a project, made if there is none yet; those who come together find the same one."""
        place = self.place(project_id, wiki=wiki)
        if not (place / "HEAD").exists():
            await self._make(place)
        return place

    async def remove(self, project_id: int) -> None:
        """Everything the project kept here is gone; nothing is said if it never was, `OSError` if it cannot be yet."""
        for wiki in (False, True):
            place = self.place(project_id, wiki=wiki)
            # Renamed first: what is half removed is never found as a repository.
            doomed = place.with_suffix(".removed")
            await asyncio.to_thread(_erase, doomed)
            with contextlib.suppress(FileNotFoundError):
                place.rename(doomed)
            await asyncio.to_thread(_erase, doomed)

    async def _make(self, place: Path) -> None:
        place.parent.mkdir(parents=True, exist_ok=True)
        draft = Path(tempfile.mkdtemp(prefix=".draft-", dir=place.parent))
        try:
            await git.run(None, "init", "--quiet", "--bare", "--template=", named=[str(draft)])
            _publish(draft, place)
        finally:
            shutil.rmtree(draft, ignore_errors=True)


def unlock(place: Path, seconds: float = FORGOTTEN_SECONDS) -> None:
    """Refs that were locked so long ago by a process that died may move again: git itself keeps off them for ever."""
    folders = os.walk(place / "refs")
    locks = [Path(folder, name) for folder, _, names in folders for name in names if name.endswith(".lock")]
    _remove_files([place / "HEAD.lock", place / "packed-refs.lock", *locks], seconds)


def sweep(place: Path) -> None:
    """What processes left when they died, locks, half packs, pushes in quarantine, is gone; what is younger may be at work."""
    unlock(place)
    _remove_files([place / "objects" / "info" / "commit-graph.lock"], FORGOTTEN_SECONDS)
    _remove_files((place / "objects" / "pack").glob("tmp_*"), ABANDONED_SECONDS)
    for left in (place / "objects").glob("tmp_objdir-*"):
        if _age(left) > ABANDONED_SECONDS:
            shutil.rmtree(left, ignore_errors=True)


def _remove_files(paths: Iterable[Path], seconds: float) -> None:
    for path in paths:
        if _age(path) > seconds:
            path.unlink(missing_ok=True)


def _age(path: Path) -> float:
    """Seconds since it was last touched; 0 if it is not there."""
    try:
        return time.time() - path.stat().st_mtime
    except FileNotFoundError:
        return 0


def _erase(folder: Path) -> None:
    """It is gone, or `OSError` if somebody still writes in it: then this is to be done again."""
    shutil.rmtree(folder, ignore_errors=True)
    if folder.exists():
        shutil.rmtree(folder)


def _publish(draft: Path, place: Path) -> None:
    """Give the draft its name, unless another was first."""
    try:
        draft.rename(place)
    except OSError:
        if not (place / "HEAD").exists():
            raise
