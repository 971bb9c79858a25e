"""Reading a request's body within its limits: JSON, form or multipart, always as one tree."""

import asyncio

import falcon
from falcon.asgi import Request
from falcon.asgi.multipart import MultipartForm
from falcon.media.multipart import MultipartParseError, MultipartParseOptions

from mujina.kernel import errors
from mujina.kernel.forms import Tree, Upload, nest, read_json, read_query

PATIENCE = 60.0
"""Seconds a body may take to arrive: one that drips longer is let go."""

HEARD_OUT = 4
"""A body of up to so many times the limit is let pass, unread: its client would miss the answer while it still sends."""

MULTIPART = "multipart/form-data"
FRAME = 64 * 1024
"""What may stand around the parts of a multipart body; the limit is for what they hold."""

_CHUNK = 64 * 1024


async def read_body(request: Request, most: int) -> Tree:
    """The body's parameters; 400, 408, 413 or 415 when it cannot be read."""
    length = request.content_length
    kind = (request.content_type or "").partition(";")[0].strip().lower()
    if length == 0 or (length is None and request.get_header("Transfer-Encoding") is None):
        return {}
    if length is not None and length > (most + FRAME if kind == MULTIPART else most):
        if length <= HEARD_OUT * most:
            await _hear_out(request)
        raise errors.too_large()
    try:
        async with asyncio.timeout(PATIENCE):
            if kind == MULTIPART:
                return await _read_multipart(request, most)
            body = await _read_all(request, most)
    except TimeoutError:
        raise errors.timed_out() from None
    if kind == "application/x-www-form-urlencoded":
        return read_query(body)
    if kind == "application/json" or kind.endswith("+json") or not kind:
        return read_json(body)
    if kind == "text/plain" or not body:
        return {}
    raise errors.unsupported_type(kind)


async def _hear_out(request: Request) -> None:
    try:
        async with asyncio.timeout(PATIENCE):
            while await request.bounded_stream.read(_CHUNK):
                pass
    except TimeoutError:
        raise errors.timed_out() from None


async def _read_all(request: Request, most: int) -> bytes:
    body = bytearray()
    while chunk := await request.bounded_stream.read(_CHUNK):
        body += chunk
        if len(body) > most:
            raise errors.too_large()
    return bytes(body)


async def _read_multipart(request: Request, most: int) -> Tree:
    boundary = falcon.parse_header(request.content_type or "")[1].get("boundary")
    if not boundary or len(boundary) > 70 or not boundary.isascii():
        raise errors.malformed_body()
    options = MultipartParseOptions()
    options.max_body_part_buffer_size = most
    options.max_body_part_count = 1_000
    form = MultipartForm(request.bounded_stream, boundary.encode(), request.content_length, options)
    pairs: list[tuple[str, str | Upload]] = []
    room = most
    try:
        async for part in form:
            data = await part.stream.read(room + 1)
            room -= len(data)
            if room < 0:
                raise errors.too_large()
            if not part.name:
                continue
            if part.filename is None:
                pairs.append((part.name, data.decode()))
            else:
                pairs.append((part.name, Upload(part.filename, part.content_type, data)))
    except (falcon.MediaMalformedError, MultipartParseError, ValueError):
        raise errors.malformed_body() from None
    return nest(pairs)
