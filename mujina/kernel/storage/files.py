"""The interface of file storage, and the headers of stored files."""

from collections.abc import AsyncGenerator, AsyncIterator
from pathlib import PurePosixPath
from typing import Protocol


class Files(Protocol):
    """Whole files by name. Our code makes the names; clients never choose them."""

    async def put(self, name: str, data: bytes | AsyncIterator[bytes]) -> None:
        """Store the file durably, whole or, as of a stream that raises, not at all."""
        ...

    async def get(self, name: str) -> bytes | None:
        """The file; None if there is none."""
        ...

    async def pieces(self, name: str, start: int = 0, end: int | None = None) -> AsyncGenerator[bytes]:
        """The bytes of the file from `start` to before `end`, in pieces, as fast as they are read.

        `FileNotFoundError` if there is no such file.
        """
        ...

    async def copy(self, name: str, to: str) -> None:
        """Store a second file with the content of this one, durably; `FileNotFoundError` if there is no such file."""
        ...

    async def remove(self, name: str) -> None:
        """Delete the file if it exists."""
        ...


async def one_piece(content: bytes) -> AsyncGenerator[bytes]:
    """A content that is in memory already, as a stream."""
    yield content


_SHOWN = {
    ".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif", ".webp": "image/webp",
    ".bmp": "image/bmp", ".ico": "image/x-icon", ".mp4": "video/mp4", ".m4v": "video/mp4", ".mov": "video/quicktime",
    ".webm": "video/webm", ".ogv": "video/ogg", ".mp3": "audio/mpeg", ".oga": "audio/ogg", ".ogg": "audio/ogg",
    ".wav": "audio/wav", ".m4a": "audio/mp4", ".opus": "audio/ogg",
}  # fmt: skip
"""Pictures, videos and sounds that a browser may display."""
SANDBOX = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; sandbox",
}
"""Headers of a file that users stored: nothing in it runs in the name of this site."""
PDF_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; object-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'self'",
    "X-Frame-Options": "SAMEORIGIN",
    "Content-Disposition": "inline",
}
"""Headers of a PDF. Browsers show it in a viewer of their own, which runs in no site; none of them does so in a sandbox."""


def raw_headers(name: str, *, text: bool = False) -> tuple[str, dict[str, str]]:
    """The content type and the headers of a file that users stored. `text`: its content is text.

    SVG may contain scripts: pictures of pages show it, but a browser that opens it saves it.
    """
    suffix = PurePosixPath(name).suffix.lower()
    if suffix in _SHOWN:
        return _SHOWN[suffix], {**SANDBOX, "Content-Disposition": "inline"}
    if suffix == ".pdf":
        return "application/pdf", PDF_HEADERS.copy()
    if suffix == ".svg":
        return "image/svg+xml", {**SANDBOX, "Content-Disposition": "attachment"}
    if text:
        return "text/plain; charset=utf-8", {**SANDBOX, "Content-Disposition": "inline"}
    return "application/octet-stream", {**SANDBOX, "Content-Disposition": "attachment"}
