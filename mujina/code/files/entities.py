"""Files as responses show them."""

import base64

import msgspec

from mujina.code.commits.operations import Found
from mujina.code.files.operations import Blob
from mujina.kernel import errors


class File(msgspec.Struct):
    file_name: str
    file_path: str
    size: int
    encoding: str
    content: str
    ref: str
    blob_id: str
    commit_id: str
    last_commit_id: str


class FileCommit(msgspec.Struct):
    """The response to a change of a file."""

    file_path: str
    branch: str


class RawBlob(msgspec.Struct):
    size: int
    encoding: str
    content: str
    sha: str


def shown_file(file: Blob, found: Found, last_commit_id: str) -> File:
    return File(
        file.path.rpartition("/")[2], file.path, file.size, "base64", _encoded(file),
        found.name, file.id, found.id, last_commit_id,
    )  # fmt: skip


def shown_blob(blob: Blob) -> RawBlob:
    return RawBlob(blob.size, "base64", _encoded(blob), blob.id)


def _encoded(blob: Blob) -> str:
    if blob.data is None:
        raise errors.too_large_to_show()
    return base64.b64encode(blob.data).decode()
