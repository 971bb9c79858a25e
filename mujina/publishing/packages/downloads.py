"""The files of packages as downloads."""

from collections.abc import AsyncGenerator, AsyncIterator
from pathlib import PurePosixPath
from typing import Final
from urllib.parse import quote

from mujina.kernel import errors
from mujina.kernel.http.byte_ranges import read_range
from mujina.kernel.http.dispatcher import Call, Response
from mujina.kernel.services import Services
from mujina.kernel.storage.errors import missing_file
from mujina.kernel.storage.files import SANDBOX
from mujina.publishing.packages.operations import record_download
from mujina.publishing.packages.rules import PackageFileRow

CHECKSUM: Final = "X-Checksum-SHA256"


async def download(call: Call, file: PackageFileRow) -> Response:
    """The file, or the part of it that `Range` names, which counts as a download; only its headers for a HEAD."""
    head = call.request.method == "HEAD"
    part = read_range(call.request.get_header("Range"), file.size)
    name = quote(PurePosixPath(file.file_name).name)
    headers = {
        **SANDBOX, **part.headers, "Content-Disposition": f"attachment; filename=\"{name}\"; filename*=UTF-8''{name}",
        CHECKSUM: file.sha256,
    }  # fmt: skip
    pieces = _nothing() if head or not file.size else await _open(call.services, file.file, part.start, part.end)
    if not head:
        await record_download(call.services, file.package_id)
    return Response(_bytes(pieces), part.status, headers, "application/octet-stream")


async def _open(services: Services, file: str, start: int, end: int) -> AsyncIterator[bytes]:
    """The bytes of a stored file; a secondary that has no copy yet lets the primary answer."""
    try:
        return await services.files.pieces(file, start, end)
    except FileNotFoundError:
        if services.secondary is None:
            raise missing_file(file) from None
        await services.secondary.record_missing(file)
        raise errors.not_found("Package File") from None


async def _nothing() -> AsyncGenerator[bytes]:
    return
    yield b""


async def _bytes(pieces: AsyncIterator[bytes]) -> AsyncGenerator[bytes]:
    async for piece in pieces:
        yield bytes(piece)
