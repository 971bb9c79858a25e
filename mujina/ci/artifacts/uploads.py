"""An artifact that a runner uploads: its parts arrive as a stream, the file among them goes into storage at once."""

import re
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import PurePosixPath
from typing import Final

import msgspec

from mujina.ci.artifacts.operations import FOLDER
from mujina.ci.artifacts.params import UploadArtifact
from mujina.ci.language.keys.artifacts import REPORTS
from mujina.kernel import errors
from mujina.kernel.http import params
from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.streamed_bodies import part_pieces, part_text, read_parts
from mujina.planning.storage.staging import StagedFile, staged

PIECE: Final = 256 * 1024
MAX_NAME: Final = 255
MISSING: Final = '400 (Bad request) "Missing artifacts file!" not given'
KINDS: Final = REPORTS | {"archive", "metadata", "coverage_report", "metrics_referee", "network_referee"}
"""What a job may upload, each once: any other word would let one job fill the disk file by file."""


class UploadedArtifact(msgspec.Struct, frozen=True):
    """A file in storage, and what the runner says of it."""

    stored: StagedFile
    filename: str
    file_type: str
    file_format: str
    expire_in: str | None


@asynccontextmanager
async def receive_artifact(call: Call, max_size: int) -> AsyncGenerator[UploadedArtifact]:
    """Store the file of the request and run the block; if the block fails, the file goes.

    400 without a file; 413 as soon as it is known to be too large.
    """
    fields: dict[str, str] = {}
    async with AsyncExitStack() as stack:
        stored: StagedFile | None = None
        filename = ""
        async for part in read_parts(call.request, max_size):
            if part.name == "file" and stored is None:
                filename = safe_filename(part.filename or "")
                pieces = part_pieces(part, PIECE, max_size)
                stored = await stack.enter_async_context(staged(call.services.files, FOLDER, pieces))
            elif part.filename is None and part.name in UploadArtifact.__struct_fields__:
                fields[part.name] = await part_text(part)
        if stored is None:
            raise errors.bad_request(MISSING)
        yield _described(params.read(UploadArtifact, {**call.tree, **fields}), stored, filename)


def _described(change: UploadArtifact, stored: StagedFile, filename: str) -> UploadedArtifact:
    file_type = change.artifact_type or "archive"
    if file_type not in KINDS:
        raise errors.unacceptable("artifact_type does not have a valid value")
    file_format = change.artifact_format or ("zip" if file_type == "archive" else "raw")
    return UploadedArtifact(stored, filename, file_type, file_format, change.expire_in or None)


def safe_filename(name: str) -> str:
    """The name without folders and without characters that are special in a path or a header."""
    plain = re.sub(r'[\x00-\x1f\x7f"\\<>|:*?]', "_", PurePosixPath(name.replace("\\", "/")).name)
    return plain[-MAX_NAME:].lstrip(".") or "artifacts.zip"
