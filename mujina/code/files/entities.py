"""Files as responses show them."""

import base64
import hashlib
from urllib.parse import quote

import msgspec

from mujina.code.commits.operations import ResolvedCommit
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
    # Compat: these are younger than the specification.
    content_sha256: str
    execute_filemode: bool


class FileCommit(msgspec.Struct):
    """The response to a change of a file."""

    file_path: str
    branch: str


class RawBlob(msgspec.Struct):
    size: int
    encoding: str
    content: str
    sha: str


def shown_file(file: Blob, found: ResolvedCommit, last_commit_id: str) -> File:
    return File(
        file_name=file.path.rpartition("/")[2], file_path=file.path, size=file.size, encoding="base64",
        content=_encoded(file), ref=found.name, blob_id=file.id, commit_id=found.id, last_commit_id=last_commit_id,
        content_sha256=_digest(file), execute_filemode=file.executable,
    )  # fmt: skip


def file_headers(file: Blob, found: ResolvedCommit, last_commit_id: str) -> dict[str, str]:
    """The facts about a file that clients request by HEAD, without its content."""
    # Compat: the family's name is in these headers, because clients look for it.
    headers = {
        "X-Gitlab-Blob-Id": file.id,
        "X-Gitlab-Commit-Id": found.id,
        "X-Gitlab-Encoding": "base64",
        "X-Gitlab-Execute-Filemode": "true" if file.executable else "false",
        "X-Gitlab-File-Name": quote(file.path.rpartition("/")[2], safe=_PRINTABLE),
        "X-Gitlab-File-Path": quote(file.path, safe=_PRINTABLE),
        "X-Gitlab-Last-Commit-Id": last_commit_id,
        "X-Gitlab-Ref": quote(found.name, safe=_PRINTABLE),
        "X-Gitlab-Size": str(file.size),
    }
    if file.data is not None:
        headers["X-Gitlab-Content-Sha256"] = _digest(file)
    return headers


def _digest(file: Blob) -> str:
    return hashlib.sha256(file.data or b"").hexdigest()


_PRINTABLE = " !\"#$&'()*+,/:;<=>?@[\\]^`{|}"
"""The characters that stay as they are in a header: all printable ones but `%`, which begins an escape."""


def shown_blob(blob: Blob) -> RawBlob:
    return RawBlob(blob.size, "base64", _encoded(blob), blob.id)


def _encoded(blob: Blob) -> str:
    if blob.data is None:
        raise errors.too_large_to_show()
    return base64.b64encode(blob.data).decode()
