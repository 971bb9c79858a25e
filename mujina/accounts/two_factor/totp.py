"""Codes by time (RFC 6238), as every authenticator app makes them.

Written by hand: it is ten lines over `hmac`, and a dependency in the way of signing in would be one more to trust.
"""

import base64
import hmac
import secrets
import time
from urllib.parse import quote

STEP_SECONDS = 30
DIGITS = 6
DRIFT = 1
"""Steps that a device's clock may be off."""


def new_key() -> str:
    """160 random bits, as people type them into an app."""
    return base64.b32encode(secrets.token_bytes(20)).decode()


def code_at(key: str, step: int) -> str:
    """The code of this step: SHA-1, six digits, which is what all apps know."""
    mac = hmac.digest(base64.b32decode(key), step.to_bytes(8, "big"), "sha1")
    offset = mac[-1] & 15
    number = int.from_bytes(mac[offset : offset + 4], "big") & 0x7FFFFFFF
    return f"{number % 10**DIGITS:0{DIGITS}}"


def step_of(key: str, code: str, *, after: int) -> int | None:
    """The step whose code this is, if it is of now and later than `after`."""
    now = int(time.time()) // STEP_SECONDS
    steps = range(max(now - DRIFT, after + 1), now + DRIFT + 1)
    return next((step for step in steps if hmac.compare_digest(code_at(key, step).encode(), code.encode())), None)


def address(key: str, username: str) -> str:
    """What an app reads from a link or picture."""
    return f"otpauth://totp/Mujina:{quote(username)}?secret={key}&issuer=Mujina"
