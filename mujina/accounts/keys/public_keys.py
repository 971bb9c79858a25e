"""Public keys in the format of OpenSSH: parsed completely, so that an invalid key is refused when it is added."""

import base64
import binascii
import hashlib
from typing import Literal

import msgspec

from mujina.kernel import deferred_imports

Family = Literal["rsa", "dsa", "ecdsa", "ed25519", "ecdsa_sk", "ed25519_sk"]

MAX_LENGTH = 5_000
_MAX_BITS = 16_384
"""Longer RSA keys are not in use, and checking their signatures takes long."""

_FAMILIES: dict[str, Family] = {
    "ssh-rsa": "rsa",
    "ssh-dss": "dsa",
    "ecdsa-sha2-nistp256": "ecdsa",
    "ecdsa-sha2-nistp384": "ecdsa",
    "ecdsa-sha2-nistp521": "ecdsa",
    "ssh-ed25519": "ed25519",
    "sk-ecdsa-sha2-nistp256@openssh.com": "ecdsa_sk",
    "sk-ssh-ed25519@openssh.com": "ed25519_sk",
}
_PARTS: dict[Family, int] = {"rsa": 2, "dsa": 4, "ecdsa": 2, "ed25519": 1, "ecdsa_sk": 3, "ed25519_sk": 2}
"""The number of strings after the type."""
_CURVE_BITS = {b"nistp256": 256, b"nistp384": 384, b"nistp521": 521}
_ED25519_BYTES, _ED25519_BITS = 32, 256


class InvalidPublicKey(ValueError):
    """The text is not a public key."""


class PublicKey(msgspec.Struct, frozen=True):
    family: Family
    bits: int
    blob: bytes

    @property
    def md5(self) -> str:
        """The format of older clients: `aa:bb:…`."""
        return hashlib.md5(self.blob, usedforsecurity=False).digest().hex(":")

    @property
    def sha256(self) -> str:
        """The format of `ssh-keygen -l`, without its prefix."""
        return fingerprint(self.blob)


def fingerprint(blob: bytes) -> str:
    """The SHA-256 fingerprint, by which a key is looked up."""
    return base64.b64encode(hashlib.sha256(blob).digest()).decode().rstrip("=")


def normalize(text: str) -> str:
    """The key on one line, as it is stored."""
    return " ".join(text.replace("\r", "").replace("\n", "").split())


def parse(line: str) -> PublicKey:
    """The key in the line `type base64 [comment]`, or `InvalidPublicKey`."""
    kind, _, rest = line.partition(" ")
    family = _FAMILIES.get(kind)
    if family is None:
        raise InvalidPublicKey(kind)
    try:
        blob = base64.b64decode(rest.partition(" ")[0], validate=True)
    except binascii.Error:
        raise InvalidPublicKey from None
    inner, *parts = strings(blob)
    if inner != kind.encode() or len(parts) != _PARTS[family]:
        raise InvalidPublicKey
    return PublicKey(family, _bits(family, kind, parts), blob)


def strings(blob: bytes) -> list[bytes]:
    """The strings of which a blob consists, each after its length; no byte may remain."""
    strings: list[bytes] = []
    while blob:
        end = 4 + int.from_bytes(blob[:4])
        if len(blob) < max(end, 4):
            raise InvalidPublicKey
        strings.append(blob[4:end])
        blob = blob[end:]
    return strings or [b""]


def _bits(family: Family, kind: str, parts: list[bytes]) -> int:
    """The length of the key, after a check of its numbers."""
    match family:
        case "rsa":
            return _rsa_bits(parts[0], parts[1])
        case "dsa":
            p, q, g, y = (int.from_bytes(part) for part in parts)
            if not (p % 2 and 1 < g < p and 1 < y < p and 1 < q < p):
                raise InvalidPublicKey
            return p.bit_length()
        case "ecdsa" | "ecdsa_sk":
            return _curve_bits(kind, parts[0], parts[1])
        case "ed25519" | "ed25519_sk":
            if len(parts[0]) != _ED25519_BYTES:
                raise InvalidPublicKey
            return _ED25519_BITS


def _rsa_bits(exponent: bytes, modulus: bytes) -> int:
    e, n = int.from_bytes(exponent), int.from_bytes(modulus)
    if n.bit_length() > _MAX_BITS:
        raise InvalidPublicKey
    try:
        deferred_imports.rsa().RSAPublicNumbers(e, n).public_key()
    except ValueError:
        # A key too short for the library is still a key; the settings decide about its length.
        if not (e % 2 and n % 2 and 2 < e < n):
            raise InvalidPublicKey from None
    return n.bit_length()


def _curve_bits(kind: str, curve: bytes, point: bytes) -> int:
    bits = _CURVE_BITS.get(curve)
    if bits is None or not kind.partition("@")[0].encode().endswith(curve):
        raise InvalidPublicKey
    curves = deferred_imports.elliptic_curves()
    known = {256: curves.SECP256R1(), 384: curves.SECP384R1(), 521: curves.SECP521R1()}
    try:
        curves.EllipticCurvePublicKey.from_encoded_point(known[bits], point)
    except ValueError:
        raise InvalidPublicKey from None
    return bits
