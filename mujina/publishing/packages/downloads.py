"""The files of packages as downloads."""

from collections.abc import AsyncGenerator
from pathlib import PurePosixPath
from typing import Final
from urllib.parse import quote

from mujina.kernel import errors
from mujina.kernel.http.byte_ranges import read_range
from mujina.kernel.http.dispatcher import Call, Response
from mujina.kernel.storage.files import SANDBOX
from mujina.kernel.storage.opening import open_file
from mujina.publishing.packages.operations import record_download
from mujina.publishing.packages.rules import PackageFileRow

CHECKSUM: Final = "X-Checksum-SHA256"


async def download(call: Call, file: PackageFileRow) -> Response:
    """The file, or the part of it that `Range` names, which counts as a download; only its headers for a HEAD."""
    head = call.request.method == "HEAD"
    part = read_range(call.request.get_header("Range"), file.size)
    name = quote(PurePosixPath(file.file_name).name)
    headers = {
        **SANDBOX,
        **part.headers,
        "Content-Disposition": f"attachment; filename=\"{name}\"; filename*=UTF-8''{name}",
        CHECKSUM: file.sha256,
    }
    absent = errors.not_found("Package File")
    unread = head or not file.size
    pieces = _nothing() if unread else await open_file(call.services, file.file, absent, part.start, part.end)
    if not head:
        await record_download(call.services, file.package_id)
    return Response(pieces, part.status, headers, "application/octet-stream")


async def _nothing() -> AsyncGenerator[bytes]:
    return
    yield b""
