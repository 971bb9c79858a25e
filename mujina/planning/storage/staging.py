"""Files that arrive as a stream: they go into storage at once, and a row names them when they are whole."""

import hashlib
import secrets
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager

import msgspec

from mujina.kernel.storage.files import Files


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
    await files.put_pieces(staged_file.file, _measured(pieces, staged_file))
    try:
        yield staged_file
    except BaseException:
        await files.remove(staged_file.file)
        raise


async def _measured(pieces: AsyncIterator[bytes], staged_file: StagedFile) -> AsyncGenerator[bytes]:
    digests = (hashlib.sha256(), hashlib.md5(usedforsecurity=False), hashlib.sha1(usedforsecurity=False))
    async for piece in pieces:
        for digest in digests:
            digest.update(piece)
        staged_file.size += len(piece)
        yield piece
    staged_file.sha256, staged_file.md5, staged_file.sha1 = (digest.hexdigest() for digest in digests)
