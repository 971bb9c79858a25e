"""A marker tells the storage of this instance from the empty folder below a disk that is not mounted, and from that of another.

It contains an id that the database knows too: two nodes with folders of their own would each have half of the repositories.
"""

import asyncio
import os
import re
from pathlib import Path
from typing import Final, Protocol

from mujina.kernel.monitoring.logs import log
from mujina.kernel.storage.errors import StorageMissing
from mujina.kernel.storage.fsync import fsync_file

MARKER: Final = ".mujina"
NOT_THERE: Final = "The server's storage of {} is not there. Nothing was changed; try again later."
_NOT_OURS: Final = frozenset({"lost+found"})
"""The entries of a new file system."""
_TEXT: Final = "Mujina keeps data in this folder. Without this file it takes the disk for one that is not mounted.\n"
_ID: Final = re.compile(r"^Its id is (\w+)\.$", re.MULTILINE)


class Marker(Protocol):
    """The marker of one place: a folder or a bucket."""

    @property
    def place(self) -> str:
        """The place in words for the operator."""
        ...

    async def read(self) -> str | None:
        """The id in the marker: empty in that of an older version, and in one made by hand. None: there is no marker."""
        ...

    async def create(self, id: str) -> None:
        """Mark the place durably, unless another process was faster."""
        ...

    async def replace(self, id: str) -> None:
        """Put this id into the marker, durably."""
        ...

    async def is_empty(self) -> bool:
        """Whether nothing is stored there."""
        ...


class FolderMarker:
    """The marker of a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.place = f"folder {folder}"

    async def read(self) -> str | None:
        try:
            return marker_id((self._folder / MARKER).read_bytes())
        except FileNotFoundError:
            return None

    async def create(self, id: str) -> None:
        await asyncio.to_thread(mark, self._folder, id)

    async def replace(self, id: str) -> None:
        await asyncio.to_thread(self._replace, id)

    def _replace(self, id: str) -> None:
        _draft(self._folder, id).replace(self._folder / MARKER)
        fsync_file(self._folder / MARKER, self._folder.parent)

    async def is_empty(self) -> bool:
        """Also if there is no such folder."""
        return not self._folder.is_dir() or all(entry.name in _NOT_OURS for entry in self._folder.iterdir())


def marker_text(id: str) -> str:
    return f"{_TEXT}Its id is {id}.\n" if id else _TEXT


def marker_id(content: bytes) -> str:
    """The id in the text of a marker; empty if there is none."""
    found = _ID.search(content.decode(errors="replace"))
    return found[1] if found else ""


def has_marker(folder: Path) -> bool:
    return (folder / MARKER).exists()


def check_marker(folder: Path, content: str) -> None:
    """`StorageMissing` unless the folder is marked; `content` says what is kept there."""
    if not has_marker(folder):
        log.error("a storage folder is not there", folder=str(folder))
        raise StorageMissing(NOT_THERE.format(content))


def mark(folder: Path, id: str = "") -> None:
    """Create the folder and its marker, durably, unless there is one."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = _draft(folder, id)
    try:
        os.link(draft, folder / MARKER)  # unlike a rename, it does not replace what another process wrote
    except FileExistsError:
        pass
    except OSError:  # a file system without hard links
        draft.replace(folder / MARKER)
    finally:
        draft.unlink(missing_ok=True)
    fsync_file(folder / MARKER, folder.parent)


def _draft(folder: Path, id: str) -> Path:
    draft = folder / f"{MARKER}.{os.getpid()}"
    draft.write_text(marker_text(id))
    return draft
