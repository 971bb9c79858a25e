"""Who makes a request, as far as it can be told without verifying anything: by credential, or else by address."""

from collections.abc import Iterable, Mapping
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs

from mujina.kernel.http import SESSION_COOKIE
from mujina.kernel.secrets import digest

_HEADERS = (b"authorization", b"private-token", b"job-token")
_PARAMETERS = ("private_token", "access_token")


def callers_of(scope: Mapping[str, Any]) -> list[str]:
    """Digests of every credential of the request; of the address if it has none."""
    found = [value.decode("latin-1") for name, value in scope["headers"] if name in _HEADERS]
    found += [cookie for name, value in scope["headers"] if name == b"cookie" for cookie in _session(value)]
    query = parse_qs(scope["query_string"].decode("latin-1"))
    found += [value for name in _PARAMETERS for value in query.get(name, [])]
    # A token is the same caller in a header and in the query.
    found = [value.removeprefix("Bearer ").strip() for value in found]
    return [digest(value) for value in found] or [digest(f"address {(scope.get('client') or ('',))[0]}")]


def new_sessions(headers: Iterable[tuple[bytes, bytes]]) -> list[str]:
    """Digests of the sessions that a response begins."""
    return [digest(cookie) for name, value in headers if name.lower() == b"set-cookie" for cookie in _session(value)]


def _session(header: bytes) -> list[str]:
    try:
        cookies = SimpleCookie(header.decode("latin-1"))
    except CookieError:
        return []
    return [cookies[SESSION_COOKIE].value] if SESSION_COOKIE in cookies else []
