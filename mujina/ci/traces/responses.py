"""Traces as text. Their bytes may be anything; a response is UTF-8."""

import codecs
from collections.abc import AsyncGenerator
from typing import Final

from mujina.ci.traces.reading import Trace, pieces
from mujina.kernel.http.byte_ranges import ByteRange, read_range
from mujina.kernel.http.dispatcher import Response
from mujina.kernel.services import Services
from mujina.kernel.storage.files import SANDBOX

TEXT: Final = "text/plain; charset=utf-8"
MAX_BUFFERED: Final = 1024 * 1024
"""Bytes of a trace that is sent at once, with its length and a tag for caches."""
_AROUND: Final = 3
"""Bytes before and after a part of the trace that tell whether it begins or ends inside a character."""
_SAME_LENGTH: Final = "mujina.same_length"


def _same_length(error: UnicodeError) -> tuple[str, int]:
    """A question mark for each byte: then a part has as many bytes as the client asked for."""
    assert isinstance(error, UnicodeDecodeError)
    return "?" * (error.end - error.start), error.end


codecs.register_error(_SAME_LENGTH, _same_length)


async def trace_response(services: Services, trace: Trace, range_header: str | None) -> Response:
    """The trace, or the part of it that the client asks for, with invalid bytes replaced."""
    headers = {**SANDBOX, "Content-Disposition": f'inline; filename="{trace.job_id}.log"', "Accept-Ranges": "bytes"}
    part = read_range(range_header, trace.size)
    if not part.whole:
        return Response(_part(services, trace, part), part.status, headers | part.headers, TEXT)
    text = _text(pieces(services, trace, 0, trace.size), "replace")
    if trace.size > MAX_BUFFERED:
        return Response(text, headers=headers, content_type=TEXT)
    return Response(b"".join([piece async for piece in text]), headers=headers, content_type=TEXT)


async def _part(services: Services, trace: Trace, part: ByteRange) -> AsyncGenerator[bytes]:
    start = max(0, part.start - _AROUND)
    skipped, left = part.start - start, part.end - part.start
    async for piece in _text(pieces(services, trace, start, min(part.end + _AROUND, trace.size)), _SAME_LENGTH):
        shown = piece[skipped : skipped + left]
        skipped = max(0, skipped - len(piece))
        left -= len(shown)
        if shown:
            yield shown


async def _text(data: AsyncGenerator[bytes], errors: str) -> AsyncGenerator[bytes]:
    decoder = codecs.getincrementaldecoder("utf-8")(errors)
    async for piece in data:
        if text := decoder.decode(piece):
            yield text.encode()
    if text := decoder.decode(b"", final=True):
        yield text.encode()
