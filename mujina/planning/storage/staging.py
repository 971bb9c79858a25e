"""Files that arrive as a stream: they go into storage at once, and a row names them when they are whole."""

import hashlib
import secrets
from collections.abc import AsyncGenerator, AsyncIterator, Collection
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Final

import msgspec

from mujina.kernel.http.bodies import AnyRequest
from mujina.kernel.http.streamed_bodies import MAX_PARTS, part_pieces, part_text, read_parts
from mujina.kernel.storage.files import Files

PIECE: Final = 256 * 1024


class StagedFile(msgspec.Struct):
    """A file in the store without a row."""

    file: str
    size: int = 0
    sha256: str = ""
    md5: str = ""
    sha1: str = ""


@asynccontextmanager
async def staged(files: Files, folder: str, pieces: AsyncIterator[bytes]) -> AsyncGenerator[StagedFile]:
    """Store the pieces as a file below this folder and run the block; if the block fails, remove the file.

    What a process leaves that dies meanwhile is removed as a file that no row names.
    """
    name = secrets.token_hex(16)
    staged_file = StagedFile(f"{folder}/{name[:2]}/{name[2:4]}/{name}")
    await files.put(staged_file.file, _measured(pieces, staged_file))
    try:
        yield staged_file
    except BaseException:
        await files.remove(staged_file.file)
        raise


class StagedForm(msgspec.Struct):
    """The file of a multipart body in the store, and its fields."""

    fields: dict[str, str] = {}
    stored: StagedFile | None = None
    filename: str = ""


@asynccontextmanager
async def staged_upload(
    files: Files,
    folder: str,
    request: AnyRequest,
    file_field: str,
    fields: Collection[str],
    max_size: int,
    *,
    max_parts: int = MAX_PARTS,
) -> AsyncGenerator[StagedForm]:
    """Store the file of a multipart body and run the block with it; if the block fails, the file goes.

    The fields of these names are kept, others are skipped. 413 as soon as the file is known to be too large.
    """
    upload = StagedForm()
    async with AsyncExitStack() as stack:
        async for part in read_parts(request, max_size, max_parts):
            if part.name == file_field and upload.stored is None:
                upload.filename = part.filename or ""
                pieces = part_pieces(part, PIECE, max_size)
                upload.stored = await stack.enter_async_context(staged(files, folder, pieces))
            elif part.filename is None and part.name is not None and part.name in fields:
                upload.fields[part.name] = await part_text(part)
        yield upload


async def _measured(pieces: AsyncIterator[bytes], staged_file: StagedFile) -> AsyncGenerator[bytes]:
    digests = (hashlib.sha256(), hashlib.md5(usedforsecurity=False), hashlib.sha1(usedforsecurity=False))
    async for piece in pieces:
        for digest in digests:
            digest.update(piece)
        staged_file.size += len(piece)
        yield piece
    staged_file.sha256, staged_file.md5, staged_file.sha1 = (digest.hexdigest() for digest in digests)
