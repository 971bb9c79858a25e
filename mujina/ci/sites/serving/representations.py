"""Files of a site as browsers get them: as they are, or compressed, without unpacking what the archive has packed."""

import mimetypes
import struct
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from functools import cache, lru_cache
from typing import Final, Literal

import msgspec

from mujina.ci.artifacts.archives import DEFLATED, ArchiveEntry, find_content, inflate
from mujina.ci.artifacts.downloads import opener_of
from mujina.ci.sites.rules import SiteFileRow, SiteRow
from mujina.kernel.services import Services
from mujina.kernel.storage.recent_results import RecentResults

Encoding = Literal["br", "gzip"]
SUFFIXES: Final[Mapping[Encoding, str]] = {"br": ".br", "gzip": ".gz"}
"""How the names of files end that are compressed variants of others; the first one that a browser accepts is sent."""
SMALL: Final = 64 * 1024
"""Bytes of a body that may be kept in memory."""
MAX_KEPT: Final = 16 * 1024 * 1024
_GZIP_HEAD: Final = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
_GZIP_TAIL: Final = struct.Struct("<2L")

_TYPES: Final = {
    ".avif": "image/avif", ".webp": "image/webp", ".wasm": "application/wasm", ".woff": "font/woff",
    ".woff2": "font/woff2", ".mjs": "text/javascript", ".js": "text/javascript", ".md": "text/markdown",
    ".webmanifest": "application/manifest+json", ".xml": "application/xml", ".map": "application/json",
    ".ico": "image/x-icon", ".opus": "audio/ogg", ".yml": "text/yaml", ".yaml": "text/yaml",
}  # fmt: skip
"""Those that Python does not know, or knows otherwise."""
_TEXTS: Final = frozenset({"application/json", "application/xml", "application/manifest+json", "image/svg+xml"})


class Representation(msgspec.Struct, frozen=True):
    """What is sent for a path."""

    row: SiteFileRow
    """The file that is read: a compressed variant, or the one that was named."""
    content_type: str
    encoding: Encoding | None = None
    wrapped: bool = False
    """Whether the bytes of the archive are sent as they are packed, as gzip."""

    @property
    def length(self) -> int:
        return len(_GZIP_HEAD) + self.row.packed + _GZIP_TAIL.size if self.wrapped else self.row.size

    @property
    def etag(self) -> str:
        return f'"{self.row.crc:08x}-{self.row.size:x}{"-gzip" if self.wrapped else ""}"'


@cache
def _types() -> mimetypes.MimeTypes:
    """Made when it is needed: the first one of a process reads the tables of the system."""
    types = mimetypes.MimeTypes(filenames=())
    for suffix, type_ in _TYPES.items():
        types.add_type(type_, suffix)
    return types


@lru_cache(10_000)
def content_type(path: str) -> str:
    """The type by the end of the name; texts are UTF-8."""
    found, packing = _types().guess_type(f"/{path}", strict=False)
    if found is None or packing is not None:
        return {"gzip": "application/gzip"}.get(packing or "", "application/octet-stream")
    return f"{found}; charset=utf-8" if found.startswith("text/") or found in _TEXTS else found


def accepted_encodings(header: str) -> list[Encoding]:
    """The encodings that a browser accepts, in the order in which they are preferred here."""
    accepted = {name.strip().lower() for name, _, weight in (each.partition(";") for each in header.split(","))
                if weight.replace(" ", "") not in ("q=0", "q=0.0", "q=0.00", "q=0.000")}  # fmt: skip
    return [encoding for encoding in SUFFIXES if encoding in accepted or "*" in accepted]


def represent(files: Mapping[str, SiteFileRow], path: str, accepted: list[Encoding]) -> Representation:
    """The best representation of the file at this path, which exists."""
    type_ = content_type(path)
    for encoding in accepted:
        if variant := files.get(path + SUFFIXES[encoding]):
            return Representation(variant, type_, encoding)
    row = files[path]
    if "gzip" in accepted and row.method == DEFLATED:
        return Representation(row, type_, "gzip", wrapped=True)
    return Representation(row, type_)


class SiteContents:
    """Reads the archives of sites. Small files that were read last are kept in memory; large ones are streamed."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._recent = RecentResults[bytes](MAX_KEPT)

    async def read(self, site: SiteRow, shown: Representation, start: int, end: int) -> bytes | AsyncIterator[bytes]:
        """The bytes of the representation from `start` to before `end`."""
        if shown.length > SMALL:
            return _part(self._pieces(site, shown), start, end)
        key = f"{site.id} {shown.wrapped} {shown.row.path}".encode()
        body = self._recent.get(key)
        if body is None:
            body = b"".join([piece async for piece in self._pieces(site, shown)])
            self._recent.put(key, body, len(body))
        return body[start:end]

    async def _pieces(self, site: SiteRow, shown: Representation) -> AsyncGenerator[bytes]:
        row, archive = shown.row, opener_of(self._services, site.file)
        entry = ArchiveEntry(
            name=row.path, size=row.size, packed=row.packed, offset=row.position, method=row.method, crc=row.crc,
            regular=True,
        )  # fmt: skip
        if not shown.wrapped:
            async for piece in inflate(archive, site.size, entry):
                yield piece
            return
        begin = await find_content(archive, site.size, entry)
        yield _GZIP_HEAD
        async for piece in await archive(begin, begin + row.packed):
            yield piece
        yield _GZIP_TAIL.pack(row.crc, row.size & 0xFFFFFFFF)


async def _part(pieces: AsyncGenerator[bytes], start: int, end: int) -> AsyncGenerator[bytes]:
    position = 0
    async for piece in pieces:
        part = piece[max(0, start - position) : max(0, end - position)]
        position += len(piece)
        if part:
            yield part
        if position >= end:
            return
