"""Checks signatures that `ssh-keygen -Y sign` makes. The signature contains the public key, so that no stored key is needed."""

import base64
import binascii
import hashlib
from typing import Any, Final

import msgspec

from mujina.accounts.keys import public_keys
from mujina.accounts.keys.public_keys import InvalidPublicKey, PublicKey
from mujina.kernel import deferred_imports

MAX_BYTES: Final = 16 * 1024
_BEGIN: Final = b"-----BEGIN SSH SIGNATURE-----"
_END: Final = b"-----END SSH SIGNATURE-----"
_MAGIC: Final = b"SSHSIG"
_VERSION: Final = (1).to_bytes(4)
_NAMESPACE: Final = b"git"
_HASHES: Final = {b"sha256": hashlib.sha256, b"sha512": hashlib.sha512}
_PARTS: Final = 5
_TAIL: Final = 5
"""The bytes that a security key adds: one of flags, four of a counter."""
_USER_PRESENT: Final = 1


class SshSignature(msgspec.Struct, frozen=True):
    fingerprint: str
    """The fingerprint of the key in the signature: SHA-256, base64 without padding."""
    valid: bool


def check(text: bytes, payload: bytes) -> SshSignature | None:
    """Returns the key that signed the payload, if one did; None if the signature is malformed."""
    try:
        key, signed, signature = _parse(text, payload)
    except (InvalidPublicKey, binascii.Error, ValueError):
        return None
    return SshSignature(key.sha256, _is_valid(key, signed, signature))


def _parse(text: bytes, payload: bytes) -> tuple[PublicKey, bytes, bytes]:
    """The key, the bytes that it signs, and the signature."""
    start, _, rest = text.strip().partition(_BEGIN)
    body, end, after = rest.partition(_END)
    if start or not end or after or len(text) > MAX_BYTES:
        raise InvalidPublicKey
    data = base64.b64decode(b"".join(body.split()), validate=True)
    if not data.startswith(_MAGIC + _VERSION):
        raise InvalidPublicKey
    parts = public_keys.strings(data[len(_MAGIC + _VERSION) :])
    if len(parts) != _PARTS:
        raise InvalidPublicKey
    blob, namespace, reserved, algorithm, signature = parts
    if namespace != _NAMESPACE or algorithm not in _HASHES:
        raise InvalidPublicKey
    kind = public_keys.strings(blob)[0].decode("ascii")
    key = public_keys.parse(f"{kind} {base64.b64encode(blob).decode()}")
    hashed = _HASHES[algorithm](payload).digest()
    return key, _MAGIC + b"".join(map(_string, (namespace, reserved, algorithm, hashed))), signature


def _string(data: bytes) -> bytes:
    return len(data).to_bytes(4) + data


def _is_valid(key: PublicKey, signed: bytes, signature: bytes) -> bool:
    kind, *key_parts = public_keys.strings(key.blob)
    line = kind + b" " + base64.b64encode(key.blob)
    try:
        if key.family.endswith("_sk"):
            signature, tail = signature[:-_TAIL], signature[-_TAIL:]
            if not tail[0] & _USER_PRESENT:
                return False
            signed = hashlib.sha256(key_parts[-1]).digest() + tail + hashlib.sha256(signed).digest()
        algorithm, raw = public_keys.strings(signature)
        _verify(deferred_imports.key_forms().load_ssh_public_key(line), key, algorithm, raw, signed)
    except (deferred_imports.cipher_errors().InvalidSignature, InvalidPublicKey, ValueError, IndexError):
        return False
    except (deferred_imports.cipher_errors().UnsupportedAlgorithm, TypeError):
        return False
    return True


def _verify(public: Any, key: PublicKey, algorithm: bytes, raw: bytes, signed: bytes) -> None:
    """Raises if the key has not made the signature."""
    padding, hashes = deferred_imports.signatures()
    match key.family:
        case "ed25519" | "ed25519_sk":
            public.verify(raw, signed)
        case "rsa":
            chosen = {b"rsa-sha2-256": hashes.SHA256(), b"rsa-sha2-512": hashes.SHA512()}.get(algorithm)
            if chosen is None:  # SHA-1
                raise InvalidPublicKey
            public.verify(raw, signed, padding.PKCS1v15(), chosen)
        case "ecdsa" | "ecdsa_sk":
            r, s = (int.from_bytes(part) for part in public_keys.strings(raw))
            chosen = {256: hashes.SHA256(), 384: hashes.SHA384(), 521: hashes.SHA512()}[key.bits]
            public.verify(
                deferred_imports.dss_signature(r, s), signed, deferred_imports.elliptic_curves().ECDSA(chosen)
            )
        case "dsa":
            raise InvalidPublicKey
