"""OpenPGP data as a series of packets, without looking into them: what may hold data of any size is refused before it is parsed."""

import base64
import binascii
from collections.abc import Iterator
from typing import Final

SIGNATURE, PUBLIC_KEY, PUBLIC_SUBKEY = 2, 6, 14
_MARKER, _TRUST, _PADDING = 10, 12, 21
IGNORED: Final = frozenset({_MARKER, _TRUST, _PADDING})
"""Tags of packets that say nothing."""
_USER_ID, _USER_ATTRIBUTE = 13, 17
OF_CERTIFICATES: Final = IGNORED | {SIGNATURE, PUBLIC_KEY, PUBLIC_SUBKEY, _USER_ID, _USER_ATTRIBUTE}
"""Tags of the packets of a public key. No packet of them contains others, or compressed data."""

_KEY_ID_DIGITS: Final = 16
_NEW_FINGERPRINT_DIGITS: Final = 64
_NEW_FORMAT, _ONE_BYTE, _TWO_BYTES, _FOUR_BYTES = 0x40, 192, 224, 255


class InvalidPackets(ValueError):
    """The data is no series of whole packets."""


def dearmor(text: bytes) -> bytes:
    """The data in every armored block of the text, without headers and checksums."""
    blocks = [block.partition(b"-----END ") for block in text.replace(b"\r", b"").split(b"-----BEGIN ")[1:]]
    if not blocks or not all(end for _, end, _ in blocks):
        raise InvalidPackets
    return b"".join(_block(body) for body, _, _ in blocks)


def _block(body: bytes) -> bytes:
    """Headers, each with a colon, stand before the first blank line; a line that starts with `=` is the checksum."""
    lines = [line.strip() for line in body.split(b"\n")[1:]]
    if b"" in lines and all(b":" in line for line in lines[: lines.index(b"")]):
        lines = lines[lines.index(b"") :]
    try:
        return base64.b64decode(b"".join(line for line in lines if not line.startswith(b"=")), validate=True)
    except binascii.Error:
        raise InvalidPackets from None


def split(data: bytes) -> Iterator[tuple[int, bytes]]:
    """The tag and the whole bytes of each packet. A packet without a definite length is refused."""
    at = 0
    while at < len(data):
        tag, start, length = _header(data, at)
        if start + length > len(data):
            raise InvalidPackets
        yield tag, data[at : start + length]
        at = start + length


def _header(data: bytes, at: int) -> tuple[int, int, int]:
    """The tag of the packet, where its body starts, and the length of the body."""
    first = data[at]
    if not first & 0x80:
        raise InvalidPackets
    if not first & _NEW_FORMAT:
        size = (1, 2, 4, 0)[first & 3]
        if not size:
            raise InvalidPackets
        return first >> 2 & 0xF, at + 1 + size, int.from_bytes(data[at + 1 : at + 1 + size])
    kind = data[at + 1] if at + 1 < len(data) else _TWO_BYTES
    if kind < _ONE_BYTE:
        return first & 0x3F, at + 2, kind
    if kind < _TWO_BYTES:
        return first & 0x3F, at + 3, (kind - _ONE_BYTE << 8) + int.from_bytes(data[at + 2 : at + 3]) + _ONE_BYTE
    if kind == _FOUR_BYTES:
        return first & 0x3F, at + 6, int.from_bytes(data[at + 2 : at + 6])
    raise InvalidPackets


def key_id_of(fingerprint: str) -> str:
    """The key ID of a key, sixteen digits: the end of its fingerprint, or the start of one of the newest version."""
    if len(fingerprint) == _NEW_FINGERPRINT_DIGITS:
        return fingerprint[:_KEY_ID_DIGITS]
    return fingerprint[-_KEY_ID_DIGITS:]
