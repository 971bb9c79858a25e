"""Zips as streams: nothing is read twice, and no file is held whole in memory."""

import asyncio
import stat
from collections.abc import AsyncGenerator
from contextlib import aclosing
from time import gmtime
from typing import IO, Any, Final, cast
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

from mujina.code.files.archives.members import DIRECTORY, LINK, ArchiveMember, Pieces

MAX_INLINE: Final = 4_096
"""Bytes that are compressed sooner than a thread is asked to."""
FIRST_TIME, LAST_TIME = 315_532_800, 4_354_819_198
"""1980 and 2107: no zip has a time before or after."""


async def as_zip(members: AsyncGenerator[ArchiveMember], comment: str) -> Pieces:
    """A zip with these members and the comment."""
    sink = _Sink()
    with ZipFile(cast("IO[bytes]", sink), "w") as archive:
        archive.comment = comment.encode()
        async with aclosing(members):
            async for member in members:
                with archive.open(_described(member), "w") as file:
                    async with aclosing(_content(member)) as content:
                        async for piece in content:
                            if len(piece) <= MAX_INLINE:
                                file.write(piece)
                            else:
                                await asyncio.to_thread(file.write, piece)
                            yield sink.take()
                yield sink.take()
    yield sink.take()


class _Sink:
    """Where a `ZipFile` writes: without a position, so that the sizes of a member follow its content."""

    def __init__(self) -> None:
        self._written = bytearray()

    def write(self, data: bytes) -> int:
        self._written += data
        return len(data)

    def flush(self) -> None:
        """Everything is taken sooner or later."""

    def take(self) -> bytes:
        """What was written since the last time."""
        taken = bytes(self._written)
        self._written.clear()
        return taken


def _described(member: ArchiveMember) -> ZipInfo:
    """What the zip says about the member. Its size decides how wide the fields are that follow the content."""
    time: Any = gmtime(min(max(member.time, FIRST_TIME), LAST_TIME))[:6]
    info = ZipInfo(_name(member.path), time)
    info.create_system = 3  # Unix
    info.external_attr = _mode(member) << 16
    info.compress_type = ZIP_STORED if member.kind == DIRECTORY else ZIP_DEFLATED
    info.file_size = member.size
    return info


async def _content(member: ArchiveMember) -> Pieces:
    if member.kind == LINK:
        yield member.link
    elif member.kind != DIRECTORY:
        async with aclosing(member.content) as content:
            async for piece in content:
                yield piece


def _mode(member: ArchiveMember) -> int:
    if member.kind == LINK:
        return stat.S_IFLNK | 0o777
    if member.kind == DIRECTORY:
        return stat.S_IFDIR | 0o755
    return stat.S_IFREG | (0o755 if member.mode & stat.S_IXUSR else 0o644)


def _name(path: bytes) -> str:
    """The path; one that is no UTF-8 has the letters that programs show for such names in zips."""
    try:
        return path.decode()
    except UnicodeDecodeError:
        return path.decode("cp437")
