"""The callers of requests, as far as they can be told without verifying anything: by credential, or else by address."""

import re
from collections.abc import Iterable, MutableMapping
from typing import Any, Final
from urllib.parse import parse_qs

from mujina.kernel.http.dispatcher import SESSION_COOKIE
from mujina.kernel.http.requests.headers import cookie_of, headers_of
from mujina.kernel.secrets import digest
from mujina.kernel.text.deferred_patterns import deferred_pattern

_HEADERS: Final = (b"authorization", b"private-token", b"job-token")
_PARAMETERS: Final = ("private_token", "access_token")
_CREDENTIAL: Final = deferred_pattern(r"(?:Basic +)?[!-~]{1,1000}", re.IGNORECASE)
"""The form of a token, a session, or a name and a password; nothing else is looked up or stored."""
_BEARER: Final = deferred_pattern(r"^Bearer +", re.IGNORECASE)


def callers_of(scope: MutableMapping[str, Any]) -> list[str]:
    """Digests of the credentials of the request, one for each way to send one; of the address if it has none."""
    headers = headers_of(scope)
    found = [headers[name].decode("latin-1") for name in _HEADERS if name in headers]
    found += _session(headers.get(b"cookie", b""))
    query = parse_qs(scope["query_string"].decode("latin-1"))
    found += [query[name][-1] for name in _PARAMETERS if name in query]
    # A token is the same caller in a header and in the query.
    sent = dict.fromkeys(_BEARER.sub("", value, count=1).strip() for value in found)
    digests = [digest(value) for value in sent if _CREDENTIAL.fullmatch(value)]
    return digests or [digest(f"address {(scope.get('client') or ('',))[0]}")]


def new_sessions(headers: Iterable[tuple[bytes, bytes]]) -> list[str]:
    """Digests of the sessions that a response begins."""
    return [digest(cookie) for name, value in headers if name.lower() == b"set-cookie" for cookie in _session(value)]


def _session(header: bytes) -> list[str]:
    session = cookie_of(header.decode("latin-1"), SESSION_COOKIE)
    return [session] if session else []
