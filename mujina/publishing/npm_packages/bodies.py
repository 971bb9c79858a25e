"""The document that npm publishes: JSON with the tarball inside it as base64, which goes into storage as it arrives."""

import base64
import binascii
import hashlib
import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any, Final

import msgspec

from mujina.kernel import errors
from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.streamed_bodies import read_pieces
from mujina.planning.storage.staging import PIECE, StagedFile, staged
from mujina.publishing.packages.operations import FOLDER
from mujina.publishing.packages.uploads import limited

MAX_DOCUMENT: Final = 8 * 1024 * 1024
"""Bytes of the document without the tarball."""
MAX_OPENING: Final = 4_096
_OPENING: Final = re.compile(rb'"_attachments"\s*:\s*\{[^{}]*\{[^{}]*"data"\s*:\s*"')
"""What stands before the text of the tarball. It is no part of a text: quotes in texts are escaped."""


class PackageDocument(msgspec.Struct, rename={"dist_tags": "dist-tags"}):
    """What a publication says of a package."""

    name: str
    versions: dict[str, dict[str, Any]] = {}
    dist_tags: dict[str, str] = {}


class ReceivedDocument(msgspec.Struct):
    """The document, and its tarball in storage, if it has one."""

    document: PackageDocument
    stored: StagedFile | None = None
    integrity: str = ""
    """The checksum of the tarball as clients compare it."""


@asynccontextmanager
async def receive_document(call: Call, max_size: int) -> AsyncGenerator[ReceivedDocument]:
    """Read the document, store its tarball and run the block; if the block fails, the file goes.

    400 for what is no such document, or a tarball of more than `max_size` bytes; 413 for a document that is too large.
    """
    reader = _Reader(read_pieces(call.request, PIECE))
    first = await reader.read_opening()
    if first is None:
        yield ReceivedDocument(reader.document())
        return
    pieces = limited(reader.tarball(first), max_size)
    async with staged(call.services.files, FOLDER, pieces) as stored:
        yield ReceivedDocument(reader.document(), stored, reader.integrity)


class _Reader:
    """Takes the text of the tarball out of a document while it arrives."""

    def __init__(self, pieces: AsyncGenerator[bytes]) -> None:
        self._pieces = pieces
        self._document = bytearray()
        self._digest = hashlib.sha512()

    async def read_opening(self) -> bytes | None:
        """Read until the tarball begins: the first of its text. None if the document has no tarball."""
        async for piece in self._pieces:
            start = max(0, len(self._document) - MAX_OPENING)
            self._keep(piece)
            if found := _OPENING.search(self._document, start):
                first = bytes(self._document[found.end() :])
                del self._document[found.end() :]
                return first
        return None

    async def tarball(self, first: bytes) -> AsyncGenerator[bytes]:
        """The decoded bytes of the tarball; the rest of the document is read after them."""
        piece, left = first, b""
        while True:
            text, quote, after = piece.partition(b'"')
            text = left + text
            end = len(text) - len(text) % 4
            left = text[end:]
            try:
                decoded = base64.b64decode(text[:end], validate=True)
            except binascii.Error:
                raise errors.malformed_body() from None
            self._digest.update(decoded)
            yield decoded
            if quote:
                break
            piece = await anext(self._pieces, b"")
            if not piece:
                break
        if left or not quote:
            raise errors.malformed_body()
        self._keep(quote + after)
        async for piece in self._pieces:
            self._keep(piece)

    @property
    def integrity(self) -> str:
        """The checksum of the bytes that were read, as npm writes it."""
        return f"sha512-{base64.b64encode(self._digest.digest()).decode()}"

    def document(self) -> PackageDocument:
        """The document without its tarball."""
        try:
            return msgspec.json.decode(self._document, type=PackageDocument)
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
            raise errors.malformed_body() from None

    def _keep(self, piece: bytes) -> None:
        self._document += piece
        if len(self._document) > MAX_DOCUMENT:
            raise errors.too_large()
