"""The headers of a request, collected once for everything that reads them."""

from collections.abc import MutableMapping
from typing import Any

_KEY = "mujina.headers"
_LAST_COUNTS = frozenset({b"host", b"cookie", b"content-length", b"content-type", b"expect", b"referer", b"user-agent"})


def headers_of(scope: MutableMapping[str, Any]) -> dict[bytes, bytes]:
    """The headers by name in lower case. A repeated one is a list with commas; without list syntax the last counts."""
    headers: dict[bytes, bytes] | None = scope.get(_KEY)
    if headers is None:
        sent: list[tuple[bytes, bytes]] = scope["headers"]
        headers = scope[_KEY] = dict(sent)
        if len(headers) != len(sent):
            headers = scope[_KEY] = _joined(sent)
    return headers


def cookie_of(header: str, name: str) -> str:
    """The value of a cookie, whatever stands beside it; empty if there is none.

    By hand: `http.cookies` drops all of them for one that it does not like, which any page of the host may set.
    """
    for pair in header.split(";"):
        found, _, value = pair.partition("=")
        if found.strip() == name:
            return value.strip().strip('"')
    return ""


def _joined(sent: list[tuple[bytes, bytes]]) -> dict[bytes, bytes]:
    headers = dict[bytes, bytes]()
    for name, value in sent:
        headers[name] = headers[name] + b"," + value if name in headers and name not in _LAST_COUNTS else value
    return headers
