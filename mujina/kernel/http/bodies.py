"""Reading a request's body within its limits: JSON, form or multipart, always as one tree."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar, Union

from mujina.kernel import deferred_imports, errors
from mujina.kernel.http.forms import Tree, Upload, nest, read_json, read_query
from mujina.kernel.http.requests.incoming import ApiRequest

if TYPE_CHECKING:
    from falcon.asgi import Request
    from falcon.asgi.multipart import MultipartForm

BODY_TIMEOUT = 60.0
"""Seconds in which a body, or a piece of one that is read in pieces, must arrive."""

DRAIN_FACTOR = 4
"""Up to this multiple of the limit a body is read and dropped: a client that still sends would miss the response."""

MULTIPART = "multipart/form-data"
MULTIPART_OVERHEAD = 64 * 1024
"""Bytes allowed around the parts of a multipart body; the limit counts their contents."""

_CHUNK = 64 * 1024

AnyRequest = Union["Request", ApiRequest]
"""A request for a page or of the API."""

Arriving = TypeVar("Arriving")
Receive = Callable[[], Awaitable[Mapping[str, Any]]]
"""How the server hands over the messages of a request."""


def whole(receive: Receive) -> Receive:
    """Messages of the server for a request whose body counts only if all of it arrives.

    Falcon takes a client that disconnects for the end of the body: half a form would be carried out as a whole one.
    """

    async def received() -> Mapping[str, Any]:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise errors.incomplete_body()
        return message

    return received


async def read_body(request: AnyRequest, max_size: int, receive: Receive | None = None) -> Tree:
    """The body's parameters; 400, 408, 413 or 415 when it cannot be read.

    `receive`: of a request from which nothing was read, it gives the body without the stream that falcon makes of it.
    """
    length = request.content_length
    kind = (request.content_type or "").partition(";")[0].strip().lower()
    if length == 0 or (length is None and request.get_header("Transfer-Encoding") is None):
        return {}
    if length is not None and length > (max_size + MULTIPART_OVERHEAD if kind == MULTIPART else max_size):
        if length <= DRAIN_FACTOR * max_size:
            await in_time(_drain(request))
        raise errors.too_large()
    if kind == MULTIPART:
        return await in_time(_read_multipart(request, max_size))
    body = await in_time(_read_all(request, max_size) if receive is None else _receive_all(receive, max_size))
    if kind == "application/x-www-form-urlencoded":
        return read_query(body, named="body")
    if kind == "application/json" or kind.endswith("+json") or not kind:
        return read_json(body)
    if kind == "text/plain" or not body:
        return {}
    raise errors.unsupported_type(kind)


async def in_time(arriving: Awaitable[Arriving]) -> Arriving:
    """What arrives; 408 if it does not within the limit."""
    try:
        async with asyncio.timeout(BODY_TIMEOUT):
            return await arriving
    except TimeoutError:
        raise errors.timed_out() from None


async def _drain(request: AnyRequest) -> None:
    while await request.bounded_stream.read(_CHUNK):
        pass


async def _read_all(request: AnyRequest, max_size: int) -> bytes:
    body = bytearray()
    while chunk := await request.bounded_stream.read(_CHUNK):
        body += chunk
        if len(body) > max_size:
            raise errors.too_large()
    return bytes(body)


async def _receive_all(receive: Receive, max_size: int) -> bytes:
    message = await receive()
    body: bytes = message.get("body", b"")
    if message.get("more_body"):
        parts = bytearray(body)
        while message.get("more_body") and len(parts) <= max_size:
            message = await receive()
            parts += message.get("body", b"")
        body = bytes(parts)
    if len(body) > max_size:
        raise errors.too_large()
    return body


def open_form(request: AnyRequest, *, max_parts: int, max_part: int) -> "MultipartForm":
    """The parts of a multipart body, read one after the other; 400 if the request does not say what separates them."""
    form, parse_options = deferred_imports.multipart()
    boundary = deferred_imports.falcon().parse_header(request.content_type or "")[1].get("boundary")
    if not boundary or len(boundary) > 70 or not boundary.isascii():
        raise errors.malformed_multipart()
    options = parse_options()
    options.max_body_part_buffer_size = max_part
    options.max_body_part_count = max_parts
    return form(request.bounded_stream, boundary.encode(), request.content_length, options)


async def _read_multipart(request: AnyRequest, max_size: int) -> Tree:
    form = open_form(request, max_parts=1_000, max_part=max_size)
    pairs: list[tuple[str, str | Upload]] = []
    left = max_size
    try:
        async for part in form:
            data = await part.stream.read(left + 1)
            left -= len(data)
            if left < 0:
                raise errors.too_large()
            if not part.name:
                continue
            if part.filename is None:
                pairs.append((part.name, data.decode()))
            else:
                pairs.append((part.name, Upload(part.filename, part.content_type, data)))
    except (deferred_imports.falcon().MediaMalformedError, ValueError):
        raise errors.malformed_multipart() from None
    return nest(pairs)
