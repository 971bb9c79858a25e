"""The checks that every request passes before any entry point sees it: a valid `Host`, and a length limit."""

import re
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, Final

from mujina.kernel import errors
from mujina.kernel.errors import ApiError
from mujina.kernel.http.dispatcher import JSON, error_response
from mujina.kernel.http.paging import exceeds
from mujina.kernel.http.requests.headers import headers_of

MAX_TARGET: Final = 8_000
"""Bytes of path and query, percent-encoded. Of a list they may have fewer: `paging.MAX_LIST_TARGET`."""

_HOST = re.compile(rb"(?:[A-Za-z0-9_.-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::[0-9]{1,5})?")

Scope = MutableMapping[str, Any]


def find_fault(scope: Scope) -> ApiError | None:
    """Returns the fault of the request line or the `Host` header. HTTP/1.0 may leave it out."""
    if exceeds(scope, MAX_TARGET):
        return errors.target_too_long(MAX_TARGET)
    headers = headers_of(scope)
    host = headers.get(b"host")
    if not host and scope["http_version"] in ("1", "1.0"):
        return None
    if host is None:
        return errors.bad_request("400 Bad request - The Host header is missing")
    if not _HOST.fullmatch(host) or sum(name == b"host" for name, _ in scope["headers"]) > 1:
        return errors.bad_request("400 Bad request - The Host header is invalid")
    return None


async def send_error(fault: ApiError, scope: Scope, send: Callable[[dict[str, Any]], Awaitable[None]]) -> None:
    """Respond with the fault, without reading the body."""
    body = error_response(fault).body
    assert isinstance(body, bytes)
    headers = [
        (b"content-type", JSON.encode()),
        (b"content-length", b"%d" % len(body)),
        (b"x-content-type-options", b"nosniff"),
    ]
    await send({"type": "http.response.start", "status": fault.status, "headers": headers})
    await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else body})
