"""Checks OpenPGP signatures. All data comes from users: nothing here raises, and sizes are bounded."""

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import msgspec

from mujina.accounts.gpg_keys import certificates, packets
from mujina.accounts.gpg_keys.certificates import KeyUserId, read_user_ids
from mujina.accounts.gpg_keys.packets import InvalidPackets
from mujina.kernel import deferred_imports

if TYPE_CHECKING:
    from pysequoia import Cert, Sig

MAX_BYTES: Final = 64 * 1024
"""The size limit of an armored signature: those of the newest algorithms have 40 KB."""
_CACHED: Final = 64


class StoredKey(msgspec.Struct, array_like=True, frozen=True):
    """A key of a user that may have made a signature."""

    key_id: str
    """The id of the primary key or the subkey that signatures name."""
    id: int
    user_id: int
    fingerprint: str
    text: str


class NamedKey(msgspec.Struct, frozen=True):
    """A signature as it describes itself."""

    packet: bytes
    key_id: str


class Match(msgspec.Struct, frozen=True):
    """The stored key that a signature names, and whether it made the signature."""

    key: StoredKey
    valid: bool
    subkey: str | None
    signers: tuple[KeyUserId, ...]


class ManySignatures(ValueError):
    """There is more than one signature."""


def parse(text: bytes) -> NamedKey | None:
    """The key that the signature names; None if it is malformed, `ManySignatures` if there are several."""
    try:
        found = list(packets.split(packets.dearmor(text))) if len(text) <= MAX_BYTES else []
    except InvalidPackets:
        return None
    signatures = [packet for tag, packet in found if tag == packets.SIGNATURE]
    if len(signatures) > 1:
        raise ManySignatures
    if not signatures or any(tag not in packets.IGNORED | {packets.SIGNATURE} for tag, _ in found):
        return None
    signature = _signature(signatures[0])
    if signature is None:
        return None
    whole, short = signature.issuer_fingerprint, signature.issuer_key_id
    key_id = packets.key_id_of(whole) if whole else short
    return NamedKey(signatures[0], key_id.upper()) if key_id else None


def check(named: NamedKey, payload: bytes, keys: Sequence[StoredKey]) -> Match | None:
    """The first of the keys that has made the signature, or else the first of them."""
    failed: Match | None = None
    for key in keys:
        certificate = _certificate(key.text)
        if certificate is None:
            continue
        made_by = _made_by(named.packet, payload, certificate)
        subkey = made_by if made_by != key.fingerprint else None
        match = Match(key, made_by is not None, subkey, _signers(key.text))
        if match.valid:
            return match
        failed = failed or match
    return failed


def _signature(packet: bytes) -> "Sig | None":
    openpgp = deferred_imports.openpgp()
    kinds = openpgp.packet.SignatureType
    try:
        signature = openpgp.Sig.from_bytes(packet)
        return signature if signature.signature_type in (kinds.Binary, kinds.Text) else None
    except BaseException:  # noqa: BLE001 - a panic of the parser is no Exception, and must not end the process
        return None


def _made_by(packet: bytes, payload: bytes, certificate: "Cert") -> str | None:
    """The fingerprint of the key of this certificate that has made the signature; None if none has."""
    signature = _signature(packet)
    try:
        found = deferred_imports.openpgp().verify(payload, _Store([certificate]), signature=signature)
        return found.valid_sigs[0].signing_key.upper()
    except BaseException:  # noqa: BLE001 - a wrong signature raises no error of its own type
        return None


class _Store(list["Cert"]):
    """The certificates that the verifier asks for, whatever the key IDs."""

    def __call__(self, _: list[str]) -> list["Cert"]:
        return list(self)


@lru_cache(_CACHED)
def _certificate(text: str) -> "Cert | None":
    try:
        return certificates.load(text)
    except BaseException:  # noqa: BLE001 - as above
        return None


@lru_cache(_CACHED)
def _signers(text: str) -> tuple[KeyUserId, ...]:
    certificate = _certificate(text)
    try:
        return read_user_ids([str(user) for user in certificate.user_ids]) if certificate else ()
    except BaseException:  # noqa: BLE001 - as above; the signatures of its user ids may have expired
        return ()
