"""Time-based one-time passwords (RFC 6238), as authenticator apps generate them.

Ten lines with `hmac`: a library for signing in would be one more dependency to trust.
"""

import base64
import hmac
import secrets
import time
from urllib.parse import quote

from mujina.kernel import deferred_imports

STEP_SECONDS = 30
DIGITS = 6
DRIFT = 1
"""The number of steps by which the clock of a device may differ."""


def new_key() -> str:
    """160 random bits in base32, as users type them into an app."""
    return base64.b32encode(secrets.token_bytes(20)).decode()


def code_at(key: str, step: int) -> str:
    """The code of this step: SHA-1 and six digits, which all apps support."""
    mac = hmac.digest(base64.b32decode(key), step.to_bytes(8, "big"), "sha1")
    offset = mac[-1] & 15
    number = int.from_bytes(mac[offset : offset + 4], "big") & 0x7FFFFFFF
    return f"{number % 10**DIGITS:0{DIGITS}}"


def step_of(key: str, code: str, *, after: int) -> int | None:
    """The step of this code, if it is a current one later than `after`."""
    now = int(time.time()) // STEP_SECONDS
    steps = range(max(now - DRIFT, after + 1), now + DRIFT + 1)
    return next((step for step in steps if hmac.compare_digest(code_at(key, step).encode(), code.encode())), None)


def uri(key: str, username: str) -> str:
    """The URI that an app reads from a link or a QR code."""
    return f"otpauth://totp/Mujina:{quote(username)}?secret={key}&issuer=Mujina"


def qr_code(text: str) -> str:
    """The text as a QR code: an SVG element of black modules on white, in the light and the dark mode alike."""
    code = deferred_imports.segno().make(text, micro=False)
    return code.svg_inline(scale=4, dark="#000", light="#fff", svgclass="qr-code", lineclass=None, omitsize=True)
