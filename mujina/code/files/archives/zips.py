"""Zips as streams: nothing is read twice, and memory holds one piece of one member."""

import asyncio
import stat
import zlib
from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path
from struct import Struct, pack
from tempfile import SpooledTemporaryFile
from time import gmtime
from typing import Final

from mujina.code.files.archives.members import CHUNK, DIRECTORY, LINK, ArchiveMember, Pieces

MAX_IN_MEMORY: Final = 1024 * 1024
"""Bytes of the directory at the end of a zip, which is kept until then."""
MAX_INLINE: Final = 4_096
"""Bytes that are compressed sooner than a thread is asked to."""
FULL: Final = 0xFFFFFFFF
"""What a field of 32 bits says if the value is in one of 64."""
MANY: Final = 0xFFFF
LARGE: Final = 0xF0000000
"""The size from which a member gets fields of 64 bits; compressed it may be a little larger."""
FIRST_TIME, LAST_TIME = 315_532_800, 4_354_819_198
"""1980 and 2107: no zip has a time before or after."""

_LOCAL: Final = Struct("<4s5H3L2H")
_DIRECTORY: Final = Struct("<4s6H3L5H2L")
_END: Final = Struct("<4s4H2LH")
_LARGE_END: Final = Struct("<4sQ2H2L4Q")
_LOCATOR: Final = Struct("<4sLQL")
_DEFLATED, _UNIX, _VERSION, _LARGE_VERSION = 8, 3 << 8, 20, 45
_DESCRIPTOR_FOLLOWS, _UTF8 = 1 << 3, 1 << 11


async def as_zip(members: AsyncGenerator[ArchiveMember], comment: str, scratch: Path) -> Pieces:
    """A zip with these members and the comment. Its directory waits in a file without a name in the folder `scratch`."""
    offset = count = 0
    with SpooledTemporaryFile[bytes](MAX_IN_MEMORY, dir=str(scratch)) as directory:
        async with aclosing(members):
            async for member in members:
                entry = _Entry(member, offset)
                async with aclosing(entry.written()) as pieces:
                    async for piece in pieces:
                        offset += len(piece)
                        yield piece
                directory.write(entry.in_directory())
                count += 1
        size = directory.tell()
        directory.seek(0)
        while piece := directory.read(CHUNK):
            yield piece
    yield _end(count, size, offset, comment.encode())


class _Entry:
    """A member that is being written, and what the directory says about it."""

    def __init__(self, member: ArchiveMember, offset: int) -> None:
        self._member = member
        self._offset = offset
        self._crc = self._size = self._compressed = 0
        self._large = member.size >= LARGE
        self._method, self._flags = (0, 0) if member.kind == DIRECTORY else (_DEFLATED, _DESCRIPTOR_FOLLOWS)
        if not member.path.isascii() and _is_utf8(member.path):
            self._flags |= _UTF8
        self._time = pack("<HHBl", 0x5455, 5, 1, min(member.time, 2**31 - 1))
        self._dos_time = _dos_time(member.time)

    async def written(self) -> Pieces:
        """Header, content and, after it, sizes and checksum."""
        path = self._member.path
        extra = self._time + (pack("<HHQQ", 1, 16, 0, 0) if self._large else b"")
        sizes = (FULL, FULL) if self._large else (0, 0)
        about = (self._version(), self._flags, self._method, *self._dos_time, 0, *sizes, len(path), len(extra))
        yield _LOCAL.pack(b"PK\3\4", *about) + path + extra
        if self._member.kind == DIRECTORY:
            return
        compressor = zlib.compressobj(wbits=-zlib.MAX_WBITS)
        async with aclosing(self._content()) as content:
            async for piece in content:
                self._size += len(piece)
                self._crc = zlib.crc32(piece, self._crc)
                inline = len(piece) <= MAX_INLINE
                yield self._counted(
                    compressor.compress(piece) if inline else await asyncio.to_thread(compressor.compress, piece)
                )
        yield self._counted(compressor.flush())
        sizes = (self._compressed, self._size)
        yield pack("<4sLQQ" if self._large else "<4sLLL", b"PK\7\10", self._crc, *sizes)

    def in_directory(self) -> bytes:
        """The entry in the directory, after the member was written."""
        values = (self._size, self._compressed, self._offset)
        beyond = [value for value in values if value >= FULL]
        extra = self._time + (pack(f"<HH{len(beyond)}Q", 1, 8 * len(beyond), *beyond) if beyond else b"")
        size, compressed, offset = (min(value, FULL) for value in values)
        version = _LARGE_VERSION if beyond else self._version()
        about = (version | _UNIX, version, self._flags, self._method, *self._dos_time, self._crc, compressed, size)
        lengths = (len(self._member.path), len(extra), 0, 0, 0)
        return _DIRECTORY.pack(b"PK\1\2", *about, *lengths, self._mode() << 16, offset) + self._member.path + extra

    async def _content(self) -> Pieces:
        if self._member.kind == LINK:
            yield self._member.link
            return
        async with aclosing(self._member.content) as content:
            async for piece in content:
                yield piece

    def _counted(self, compressed: bytes) -> bytes:
        self._compressed += len(compressed)
        return compressed

    def _version(self) -> int:
        return _LARGE_VERSION if self._large else _VERSION

    def _mode(self) -> int:
        if self._member.kind == LINK:
            return stat.S_IFLNK | 0o777
        if self._member.kind == DIRECTORY:
            return stat.S_IFDIR | 0o755
        return stat.S_IFREG | (0o755 if self._member.mode & stat.S_IXUSR else 0o644)


def _end(count: int, size: int, offset: int, comment: bytes) -> bytes:
    """The end of a zip, which says where its directory begins."""
    end = (
        _END.pack(b"PK\5\6", 0, 0, *[min(count, MANY)] * 2, min(size, FULL), min(offset, FULL), len(comment)) + comment
    )
    if count < MANY and size < FULL and offset < FULL:
        return end
    large = _LARGE_END.pack(b"PK\6\6", 44, _LARGE_VERSION | _UNIX, _LARGE_VERSION, 0, 0, count, count, size, offset)
    return large + _LOCATOR.pack(b"PK\6\7", 0, offset + size, 1) + end


def _dos_time(seconds: int) -> tuple[int, int]:
    """The time and the date as a zip has them, in UTC."""
    at = gmtime(min(max(seconds, FIRST_TIME), LAST_TIME))
    return (
        at.tm_hour << 11 | at.tm_min << 5 | at.tm_sec // 2,
        (at.tm_year - 1980) << 9 | at.tm_mon << 5 | at.tm_mday,
    )


def _is_utf8(path: bytes) -> bool:
    try:
        path.decode()
    except UnicodeDecodeError:
        return False
    return True
