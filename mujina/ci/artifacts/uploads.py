"""An artifact that a runner uploads: its parts arrive as a stream, the file among them goes into storage at once."""

import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import PurePosixPath
from typing import Final

import msgspec

from mujina.ci.artifacts.operations import FOLDER
from mujina.ci.artifacts.params import UploadArtifact
from mujina.ci.language.keys.artifacts import REPORTS
from mujina.kernel import errors
from mujina.kernel.http import params
from mujina.kernel.http.dispatcher import Call
from mujina.planning.storage.staging import StagedFile, staged_upload

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
    names = UploadArtifact.__struct_fields__
    async with staged_upload(call.services.files, FOLDER, call.request, "file", names, max_size) as upload:
        if upload.stored is None:
            raise errors.bad_request(MISSING)
        change = params.read(UploadArtifact, {**call.tree, **upload.fields})
        yield _described(change, upload.stored, safe_filename(upload.filename))


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
