"""Signed, short-lived credentials between nodes: `Authorization: GL-Geo ACCESS_KEY:TOKEN`.

The token is a JWT (HS256) whose claim `data` says, as JSON, what the request is about. A token for one repository or file
opens no other.
"""

import base64
import binascii
import hmac
from collections.abc import Mapping
from typing import Any, Final, cast

import msgspec

from mujina.kernel import clock

SCHEME: Final = "GL-Geo"
LIFETIME_SECONDS: Final = 60
FETCH_LIFETIME_SECONDS: Final = 600
MAX_LIFETIME_SECONDS: Final = 600
LEEWAY_SECONDS: Final = 60
"""How far the clocks of two nodes may differ."""
_HEADER: Final = {"alg": "HS256", "typ": "JWT"}

Data = Mapping[str, Any]


class InvalidToken(Exception):
    """The token opens nothing; the message says why."""


class _Claims(msgspec.Struct, frozen=True):
    data: str
    iat: int
    exp: int


def authorization(access_key: str, secret: str, data: Data, *, seconds: int = LIFETIME_SECONDS) -> str:
    """The value of the header `Authorization` for a request about `data`."""
    return f"{SCHEME} {access_key}:{sign(secret, data, seconds=seconds)}"


def sign(secret: str, data: Data, *, seconds: int = LIFETIME_SECONDS) -> str:
    now = int(clock.timestamp())
    claims = _Claims(msgspec.json.encode(data).decode(), now, now + seconds)
    signed = f"{_packed(msgspec.json.encode(_HEADER))}.{_packed(msgspec.json.encode(claims))}"
    return f"{signed}.{_packed(_signature(secret, signed))}"


def verify(secret: str, token: str) -> Data:
    """Returns the claims of the token; raises `InvalidToken` unless it was signed with this secret and is valid now."""
    signed, _, signature = token.rpartition(".")
    header, _, body = signed.partition(".")
    try:
        if msgspec.json.decode(_unpacked(header)) != _HEADER:
            raise InvalidToken("the token has another form")
        if not hmac.compare_digest(_unpacked(signature), _signature(secret, signed)):
            raise InvalidToken("the signature is wrong")
        claims = msgspec.json.decode(_unpacked(body), type=_Claims)
        data: object = msgspec.json.decode(claims.data)
    except (ValueError, binascii.Error, msgspec.DecodeError):
        raise InvalidToken("the token has another form") from None
    now = clock.timestamp()
    if claims.iat > now + LEEWAY_SECONDS or claims.exp < now - LEEWAY_SECONDS:
        raise InvalidToken("the token is not valid now: do the clocks of the nodes agree?")
    if claims.exp - claims.iat > MAX_LIFETIME_SECONDS or not isinstance(data, dict):
        raise InvalidToken("the token has another form")
    return cast("Data", data)


def split(header: str) -> tuple[str, str] | None:
    """The access key and the token of a header; None if it has another scheme."""
    scheme, _, value = header.partition(" ")
    if scheme.lower() != SCHEME.lower():
        return None
    key, _, token = value.strip().partition(":")
    return key, token


def _signature(secret: str, signed: str) -> bytes:
    return hmac.digest(secret.encode(), signed.encode(), "sha256")


def _packed(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def _unpacked(text: str) -> bytes:
    return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
