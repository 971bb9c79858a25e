"""The members of a tar that git writes: read one after another, changed, and written again."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Final

import msgspec

Pieces = AsyncGenerator[bytes]

FILE: Final = b"0"
LINK: Final = b"2"
DIRECTORY: Final = b"5"
_LONG_NAMES: Final = b"x"
_COMMENT: Final = b"g"

BLOCK: Final = 512
CHUNK: Final = 65_536
MAX_OCTAL: Final = 8**11 - 1
"""The largest size in the digits of a header."""


class ArchiveMember(msgspec.Struct, frozen=True):
    """A file, folder or link of an archive."""

    header: bytes
    """All blocks before the content; the last one has the size."""
    path: bytes
    kind: bytes
    mode: int
    time: int
    size: int
    link: bytes
    """Where a link leads."""
    content: Pieces
    """To be read to its end before the next member is."""

    def containing(self, content: Pieces, size: int) -> "ArchiveMember":
        """This file with other content."""
        header = self.header[:-BLOCK] + _resized(self.header[-BLOCK:], size)
        return msgspec.structs.replace(self, header=header, size=size, content=content)


class _Stream:
    """The bytes of a stream, taken by number."""

    def __init__(self, pieces: Pieces) -> None:
        self._pieces = pieces
        self._rest = bytearray()

    async def take(self, size: int) -> bytes:
        while len(self._rest) < size:
            self._rest += await anext(self._pieces)
        taken = bytes(self._rest[:size])
        del self._rest[:size]
        return taken

    async def content(self, size: int) -> Pieces:
        """The content of a member, and past what fills its last block."""
        for start in range(0, size, CHUNK):
            yield await self.take(min(CHUNK, size - start))
        await self.take(-size % BLOCK)


async def read_members(tar: Pieces) -> AsyncGenerator[ArchiveMember]:
    """The members of git's tar."""
    async with aclosing(tar):
        stream = _Stream(tar)
        header, long = b"", dict[bytes, bytes]()
        while any(block := await stream.take(BLOCK)):
            header += block
            kind, size = block[156:157], int(block[124:135], 8)
            if kind in (_LONG_NAMES, _COMMENT):
                records = await stream.take(size + -size % BLOCK)
                header += records
                long = _records(records[:size]) if kind == _LONG_NAMES else {}
                continue
            yield _member(header, long, stream)
            header, long = b"", {}
        async for _ in tar:  # to its end, where git says whether it failed
            pass


async def as_tar(members: AsyncGenerator[ArchiveMember]) -> Pieces:
    """A tar with these members."""
    async with aclosing(members):
        async for member in members:
            yield member.header
            async with aclosing(member.content) as content:
                async for piece in content:
                    yield piece
            yield bytes(-member.size % BLOCK)
    yield bytes(2 * BLOCK)


async def gathered(pieces: Pieces) -> Pieces:
    """These bytes in fewer pieces: each costs the server and a compressor the same, however small."""
    waiting = bytearray()
    async with aclosing(pieces):
        async for piece in pieces:
            waiting += piece
            if len(waiting) >= CHUNK:
                yield bytes(waiting)
                waiting.clear()
    if waiting:
        yield bytes(waiting)


def _member(header: bytes, long: dict[bytes, bytes], stream: _Stream) -> ArchiveMember:
    block = header[-BLOCK:]
    name, folder, link = (part.partition(b"\0")[0] for part in (block[:100], block[345:500], block[157:257]))
    size = int(long.get(b"size", b"0")) or int(block[124:135], 8)
    return ArchiveMember(
        header=header,
        path=long.get(b"path") or (folder + b"/" + name if folder else name),
        kind=block[156:157],
        mode=int(block[100:107], 8),
        time=int(block[136:147], 8),
        size=size,
        link=long.get(b"linkpath") or link,
        content=stream.content(size),
    )


def _records(data: bytes) -> dict[bytes, bytes]:
    """What an extended header says: lines such as `21 path=a/very/long…`, each with its own length."""
    found: dict[bytes, bytes] = {}
    while data:
        length, _, _ = data.partition(b" ")
        key, _, value = data[len(length) + 1 : int(length) - 1].partition(b"=")
        found[key] = value
        data = data[int(length) :]
    return found


def _resized(block: bytes, size: int) -> bytes:
    """The header with another size, in octal digits or, if they are too few, in bytes; its checksum counts itself as blanks."""
    digits = b"%011o\0" % size if size <= MAX_OCTAL else b"\x80" + size.to_bytes(11)
    block = block[:124] + digits + block[136:148] + b" " * 8 + block[156:]
    return block[:148] + b"%06o\0 " % sum(block) + block[156:]
