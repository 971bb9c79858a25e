"""Unpacking an archive that anybody may have made: its members become numbered files in an empty folder.

No name, link, owner, mode or device of the archive reaches the disk, and no more bytes than are allowed.
"""

import gzip
import os
import shutil
import stat
import tarfile
import zlib
from pathlib import Path
from typing import Any, Final, cast

MAX_MEMBERS: Final = 1_000_000
MAX_HEADER_BYTES: Final = 1 << 20
"""The longest header of a member: headers are read into memory."""
MAX_NAME_LENGTH: Final = 1_000
CHUNK: Final = 1 << 16
NO_ROOM: Final = "It does not fit: archives may take half of the free space of the data folder."


class UnusableArchive(Exception):
    """The file is no archive, or more than may be unpacked; the text says which."""


class _BoundedReader:
    """The decompressed bytes of an archive; a read beyond the budget, a way back, or a position beyond the end is refused."""

    def __init__(self, file: Any, end: int) -> None:
        self._file, self._end = file, end
        self.budget = 0

    def read(self, size: int) -> bytes:
        self.budget -= size
        if size < 0 or self.budget < 0 or self._file.tell() + size > self._end + MAX_HEADER_BYTES:
            raise UnusableArchive("It has more in it than may be unpacked.")
        return self._file.read(size)

    def seek(self, position: int) -> int:
        if position < self._file.tell():
            raise UnusableArchive("It is no archive, or not whole.")
        if position > self._end:
            raise UnusableArchive("It has more in it than may be unpacked.")
        return self._file.seek(position)

    def tell(self) -> int:
        return self._file.tell()


def free_bytes(folder: Path) -> int:
    """What an archive may take where the folder is: half of the free disk."""
    return shutil.disk_usage(folder).free // 2


def unpack(archive: Path, folder: Path, max_bytes: int) -> dict[str, Path]:
    """The members by name, the last one of each.

    `UnusableArchive` if they are larger than `max_bytes` together, or than half of the free disk.
    """
    free = free_bytes(folder)
    if archive.stat().st_size > free:
        raise UnusableArchive(NO_ROOM)
    room = min(max_bytes, free)
    members, count = dict[str, Path](), 0
    try:
        with gzip.open(archive) as decompressed:
            reader = _BoundedReader(decompressed, room)
            reader.budget = MAX_HEADER_BYTES
            with tarfile.open(fileobj=cast("Any", reader), mode="r:") as tar:
                while (member := _next(tar, reader)) is not None:
                    if member.isreg() and _is_name(member.name):
                        if count == MAX_MEMBERS:
                            raise UnusableArchive(f"It has more than {MAX_MEMBERS} members.")
                        target, count = folder / str(count), count + 1
                        room -= _copy(tar, reader, member, target, room)
                        members[member.name.removeprefix("./")] = target
    except (tarfile.TarError, EOFError, zlib.error, gzip.BadGzipFile, ValueError, OverflowError, RecursionError):
        raise UnusableArchive("It is no archive, or not whole.") from None
    return members


def list_folder(folder: Path) -> dict[str, Path]:
    """The plain files of a folder that is unpacked already, by their names below it; no link is followed."""
    members = dict[str, Path]()
    for place, _, names in os.walk(folder):
        for file in (Path(place) / name for name in names):
            if stat.S_ISREG(file.lstat().st_mode):
                if len(members) == MAX_MEMBERS:
                    raise UnusableArchive(f"It has more than {MAX_MEMBERS} members.")
                if _is_name(name := file.relative_to(folder).as_posix()):
                    members[name] = file
    return members


def _is_name(name: str) -> bool:
    """Whether a member can be asked for by its name: it is text, and not too long."""
    return len(name) <= MAX_NAME_LENGTH and name.strip("./") != "" and name.encode("utf-8", "ignore").decode() == name


def _next(tar: tarfile.TarFile, reader: _BoundedReader) -> tarfile.TarInfo | None:
    reader.budget = MAX_HEADER_BYTES
    cast("Any", tar).members, tar.pax_headers = [], {}  # it would keep them all
    return tar.next()


def _copy(tar: tarfile.TarFile, reader: _BoundedReader, member: tarfile.TarInfo, target: Path, room: int) -> int:
    """Write the content of the member to the file; its size. What a sparse member leaves out counts as well."""
    reader.budget = room + CHUNK
    content, size = tar.extractfile(member), 0
    assert content is not None  # of a regular member
    with content, target.open("xb") as output:
        while piece := content.read(CHUNK):
            size += len(piece)
            if size > room:
                raise UnusableArchive("It has more in it than may be unpacked.")
            output.write(piece)
    if size != member.size:
        raise UnusableArchive("It is no archive, or not whole.")
    return size
