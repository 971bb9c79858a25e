"""One file out of a zip archive that stays in storage. Nothing that the archive says of itself is believed."""

import asyncio
import struct
import zlib
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from typing import Final

import msgspec

OpenBytes = Callable[[int, int], Awaitable[AsyncGenerator[bytes]]]
"""Opens the bytes of the archive from a position to before another one; read to their end even if it is removed meanwhile."""

MAX_DIRECTORY: Final = 16 * 1024 * 1024
"""Bytes of the directory of an archive that is searched: some 200,000 files."""
MAX_INFLATED: Final = 1024 * 1024 * 1024
"""Bytes of a file that is inflated."""
_BLOCK: Final = 64 * 1024
STORED, DEFLATED = 0, 8
"""How a file is packed."""
_ENCRYPTED, _UTF8 = 0x1, 0x800
_UNIX, _TYPE, _REGULAR = 3, 0o170000, (0, 0o100000)
_END, _END64, _LOCATOR = struct.Struct("<4s4H2LH"), struct.Struct("<4sQ2H2L4Q"), struct.Struct("<4sLQL")
_ENTRY, _LOCAL = struct.Struct("<4s6H3L5H2L"), struct.Struct("<4s5H3L2H")
_NAMED, _LENGTHS, _NAME_LENGTH = struct.Struct("<H"), struct.Struct("<3H"), 28
"""The length of the name of an entry, and with it those of its two other parts; and where they stand."""
_UNKNOWN: Final = 0xFFFFFFFF
"""A number that is in the 64-bit part of the entry."""


class BadArchive(Exception):
    """The file is not a zip archive, or not as it says."""


class ArchiveEntry(msgspec.Struct, frozen=True):
    """A file in an archive, as the directory at its end describes it."""

    name: str
    size: int
    packed: int
    offset: int
    method: int
    crc: int
    regular: bool
    """Whether it is a file: no folder, no link, not encrypted."""

    @property
    def readable(self) -> bool:
        return self.regular and is_safe(self.name) and self.method in (STORED, DEFLATED)


def is_safe(name: str) -> bool:
    """Whether the name is one below the folder into which an archive is unpacked."""
    return not {"\0", "\\"} & set(name) and all(part not in ("", ".", "..") for part in name.split("/"))


async def _read(archive: OpenBytes, start: int, end: int) -> bytes:
    if end <= start:
        return b""
    async with aclosing(await archive(start, end)) as pieces:
        return b"".join([piece async for piece in pieces])


async def find_entry(archive: OpenBytes, total: int, name: str) -> ArchiveEntry | None:
    """The readable file of this name; None if there is none. Of several, the last one counts, as for other programs.

    Only entries of that name are decoded: an archive may have 200,000, and the event loop waits.
    """
    spelled = {name.encode("utf-8", "replace"), name.encode("cp437", "replace")}
    found = None
    async for record in _records(archive, total):
        if record[_ENTRY.size : _ENTRY.size + _NAMED.unpack_from(record, _NAME_LENGTH)[0]] in spelled:
            entry = _read_entry(record)
            found = entry if entry.name == name else found
    return found if found is not None and found.readable else None


async def list_entries(archive: OpenBytes, total: int) -> AsyncGenerator[ArchiveEntry]:
    """Everything in the archive; `BadArchive` if its directory is damaged or too large."""
    async for record in _records(archive, total):
        yield _read_entry(record)


async def _records(archive: OpenBytes, total: int) -> AsyncGenerator[bytes]:
    """The entries of the directory as they are stored. Others have their turn after each block."""
    start, end = await _find_directory(archive, total)
    rest = b""
    for position in range(start, end, _BLOCK):
        block = rest + await _read(archive, position, min(position + _BLOCK, end))
        await asyncio.sleep(0)
        at = 0
        while len(block) - at >= _ENTRY.size and (length := _length(block, at)) <= len(block) - at:
            yield block[at : at + length]
            at += length
        rest = block[at:]
    if rest:
        raise BadArchive("the directory is cut off")


async def _find_directory(archive: OpenBytes, total: int) -> tuple[int, int]:
    """Where the directory begins and ends."""
    tail_start = max(0, total - _END.size - 0xFFFF)
    tail = await _read(archive, tail_start, total)
    at = tail.rfind(b"PK\x05\x06")
    if at < 0 or len(tail) - at < _END.size:
        raise BadArchive("there is no directory")
    *_, size, start, _ = _END.unpack_from(tail, at)
    end = tail_start + at
    if _UNKNOWN in (size, start):
        located = at - _LOCATOR.size
        if located < 0 or not tail.startswith(b"PK\x06\x07", located):
            raise BadArchive("there is no directory of 64 bits")
        _, _, end, _ = _LOCATOR.unpack_from(tail, located)
        if end + _END64.size > total:
            raise BadArchive("the directory is outside")
        *_, size, start = _END64.unpack(await _read(archive, end, end + _END64.size))
    if size > MAX_DIRECTORY or start + size > end:
        raise BadArchive("the directory is too large")
    return start, start + size


def _length(block: bytes, at: int) -> int:
    if not block.startswith(b"PK\x01\x02", at):
        raise BadArchive("the directory is damaged")
    return _ENTRY.size + sum(_LENGTHS.unpack_from(block, at + _NAME_LENGTH))


def _read_entry(data: bytes) -> ArchiveEntry:
    fields = _ENTRY.unpack_from(data)
    _, made, _, flags, method, _, _, crc, packed, size, named, extra_length, _, _, _, attributes, offset = fields
    name_end = _ENTRY.size + named
    name = data[_ENTRY.size : name_end].decode("utf-8" if flags & _UTF8 else "cp437", "replace")
    extra = data[name_end : name_end + extra_length]
    size, packed, offset = _wide(extra, (size, packed, offset))
    kind = attributes >> 16 & _TYPE if made >> 8 == _UNIX else 0
    regular = kind in _REGULAR and not flags & _ENCRYPTED and not name.endswith("/")
    return ArchiveEntry(name=name, size=size, packed=packed, offset=offset, method=method, crc=crc, regular=regular)


def _wide(extra: bytes, numbers: tuple[int, ...]) -> list[int]:
    """The numbers, those that do not fit into 32 bits from the extra field that has them."""
    wide: list[int] = []
    while len(extra) >= 4:
        kind, length = struct.unpack_from("<2H", extra)
        if kind == 1:
            count = min(length, len(extra) - 4) // 8
            wide = list(struct.unpack_from(f"<{count}Q", extra, 4))
            break
        extra = extra[4 + length :]
    return [wide.pop(0) if number == _UNKNOWN and wide else number for number in numbers]


async def find_content(archive: OpenBytes, total: int, entry: ArchiveEntry) -> int:
    """Where the packed content of the file begins; `BadArchive` if it is not in the archive."""
    if entry.offset + _LOCAL.size > total:
        raise BadArchive("a file is outside")
    head = await _read(archive, entry.offset, entry.offset + _LOCAL.size)
    if not head.startswith(b"PK\x03\x04"):
        raise BadArchive("a file has no header")
    start = entry.offset + _LOCAL.size + sum(_LOCAL.unpack(head)[9:11])
    if start + entry.packed > total:
        raise BadArchive("a file is outside")
    return start


async def inflate(archive: OpenBytes, total: int, entry: ArchiveEntry) -> AsyncGenerator[bytes]:
    """The content of the file in pieces; `BadArchive` as soon as it is not what the directory says."""
    start = await find_content(archive, total, entry)
    seen = crc = 0
    async for piece in _unpacked(archive, entry, start):
        seen += len(piece)
        crc = zlib.crc32(piece, crc)
        if seen > entry.size:
            raise BadArchive("a file is larger than the directory says")
        yield piece
    if seen != entry.size or crc != entry.crc:
        raise BadArchive("a file is damaged")


async def _unpacked(archive: OpenBytes, entry: ArchiveEntry, start: int) -> AsyncGenerator[bytes]:
    if not entry.packed:
        return
    inflater = zlib.decompressobj(wbits=-15) if entry.method == DEFLATED else None
    async with aclosing(await archive(start, start + entry.packed)) as pieces:
        async for packed in pieces:
            if inflater is None:
                yield packed
                continue
            rest = packed
            while rest and not inflater.eof:
                try:
                    if piece := inflater.decompress(rest, _BLOCK):
                        yield piece
                except zlib.error as error:
                    raise BadArchive(str(error)) from None
                rest = inflater.unconsumed_tail
