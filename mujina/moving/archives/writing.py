"""Writing an archive: a compressed tar of documents and files, each with the path at which the API v4 gives it."""

import asyncio
import tarfile
import tempfile
from collections.abc import AsyncIterable, Sequence
from io import BytesIO
from pathlib import Path
from typing import IO, Any, Final, cast

import msgspec

FORMAT: Final = "mujina-archive"
VERSION: Final = 1
MANIFEST: Final = "archive.json"
DOCUMENTS: Final = "documents"
MEMBER_BYTES: Final = 8 << 20
"""Documents are collected in memory up to this size, and then written as one member."""
_LEFT_OUT: Final = frozenset({"email", "public_email"})
"""An archive contains no addresses of people."""


class ArchiveManifest(msgspec.Struct, frozen=True):
    """What an archive is, in its first member."""

    address: str
    """The address of the instance that wrote it."""
    created_at: str
    format: str = FORMAT
    version: int = VERSION
    project: str | None = None
    group: str | None = None
    """The path of the project or group that it has."""


class DocumentLine(msgspec.Struct, frozen=True, omit_defaults=True):
    """A line of the documents: JSON, or the member that has the content."""

    path: str
    body: msgspec.Raw = msgspec.Raw()
    file: str = ""


class ArchiveWriter:
    """Writes one archive; nothing of it is larger in memory than a page of documents. Members are drafted in `scratch`."""

    def __init__(self, output: IO[bytes], manifest: ArchiveManifest, scratch: Path) -> None:
        self._scratch = scratch
        self._tar = tarfile.open(fileobj=output, mode="w:gz", compresslevel=6)  # noqa: SIM115 - `close` closes it
        self._lines = BytesIO()
        self._members = 0
        self._add(MANIFEST, BytesIO(msgspec.json.encode(manifest)))

    async def document(self, path: str, record: msgspec.Struct | Sequence[msgspec.Struct]) -> None:
        """The record, or one page of a list, at a path."""
        body = msgspec.json.encode(_without_addresses(msgspec.to_builtins(record)))
        await self._line(DocumentLine(path, msgspec.Raw(body)))

    async def file(self, path: str, name: str, pieces: AsyncIterable[bytes]) -> None:
        """A file at a path, as the member of this name; nothing of it is written if the pieces fail."""
        with tempfile.TemporaryFile(prefix="export-", dir=self._scratch) as content:
            async for piece in pieces:
                await asyncio.to_thread(content.write, piece)
            await asyncio.to_thread(self._add, name, content)
        await self._line(DocumentLine(path, file=name))

    async def close(self) -> None:
        """The archive is whole."""
        await asyncio.to_thread(self._flush)
        await asyncio.to_thread(self._tar.close)

    async def _line(self, line: DocumentLine) -> None:
        self._lines.write(msgspec.json.encode(line) + b"\n")
        if self._lines.tell() >= MEMBER_BYTES:
            await asyncio.to_thread(self._flush)

    def _flush(self) -> None:
        self._members += 1
        self._add(f"{DOCUMENTS}/{self._members}.ndjson", self._lines)
        self._lines = BytesIO()

    def _add(self, name: str, content: IO[bytes]) -> None:
        member = tarfile.TarInfo(name)
        member.size = content.seek(0, 2)
        content.seek(0)
        self._tar.addfile(member, content)


def _without_addresses(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_addresses(each) for each in cast("list[Any]", value)]
    if isinstance(value, dict):
        items = cast("dict[str, Any]", value).items()
        return {name: _without_addresses(each) for name, each in items if name not in _LEFT_OUT}
    return value
