"""Bodies that a handler reads itself, piece by piece: nothing holds one of them in memory."""

from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING, Final

from mujina.kernel import deferred_imports, errors
from mujina.kernel.http.bodies import MULTIPART, MULTIPART_OVERHEAD, AnyRequest, in_time, open_form

if TYPE_CHECKING:
    from falcon.asgi.multipart import BodyPart

MAX_PARTS: Final = 20
MAX_FIELD: Final = 1_024
"""Bytes of a part that is no file."""


def check_length(request: AnyRequest, max_size: int) -> None:
    """413 if the client says that its body is larger, before any of it is read."""
    if request.content_length is not None and request.content_length > max_size:
        raise errors.too_large()


async def read_pieces(request: AnyRequest, size: int) -> AsyncGenerator[bytes]:
    """The body in pieces of this size; 408 if one of them does not arrive in time."""
    while piece := await in_time(request.bounded_stream.read(size)):
        yield piece


async def read_parts(request: AnyRequest, max_size: int, max_parts: int) -> "AsyncGenerator[BodyPart]":
    """The parts of a multipart body as they arrive, each to be read before the next; 400 if the body is none."""
    kind = (request.content_type or "").partition(";")[0].strip().lower()
    if kind != MULTIPART:
        return
    check_length(request, max_size + MULTIPART_OVERHEAD)
    try:
        async for part in open_form(request, max_parts=max_parts, max_part=MAX_FIELD):
            yield part
    except (deferred_imports.falcon().MediaMalformedError, ValueError):
        raise errors.malformed_multipart() from None


async def part_pieces(part: "BodyPart", size: int, max_size: int) -> AsyncGenerator[bytes]:
    """The content of a part in pieces; 413 as soon as there is more than `max_size`, 408 if nothing arrives."""
    seen = 0
    try:
        while piece := await in_time(part.stream.read(size)):
            seen += len(piece)
            if seen > max_size:
                raise errors.too_large()
            yield piece
    except deferred_imports.falcon().MediaMalformedError:
        raise errors.malformed_multipart() from None


async def part_text(part: "BodyPart") -> str:
    """The text of a field; 400 if it is too long or not UTF-8."""
    data = await in_time(part.stream.read(MAX_FIELD + 1))
    try:
        if len(data) <= MAX_FIELD:
            return data.decode()
    except UnicodeDecodeError:
        pass
    raise errors.unacceptable(f"{part.name} is invalid")
