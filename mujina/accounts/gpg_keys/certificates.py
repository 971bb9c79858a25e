"""OpenPGP certificates: parsed when they are added, so that a broken one is refused then."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from mujina.accounts.gpg_keys import packets
from mujina.accounts.gpg_keys.packets import InvalidPackets
from mujina.kernel import deferred_imports
from mujina.kernel.text.folding import fold

if TYPE_CHECKING:
    from pysequoia import Cert

BEGIN, END = "-----BEGIN PGP PUBLIC KEY BLOCK-----", "-----END PGP PUBLIC KEY BLOCK-----"
MAX_LENGTH = 200_000
"""Characters: enough for hundreds of signatures by others. Reading more would delay other requests."""

MAX_PARTS = 50
"""Subkeys and user ids."""
MAX_OWN_SIGNATURES = 40
"""The parser compares each with every part, or verifies it, and no other thread runs meanwhile."""
MAX_SIGNATURES = 1_000
"""The number of signatures of a key, with those of others, of which only the maker is parsed."""

_ADDRESS = re.compile(r"<([^<>\s\0]+@[^<>\s\0]+)>|^([^<>\s\0]+@[^<>\s\0]+)$")


class InvalidCertificate(ValueError):
    """The text is not a public key block."""


class CertificateTooLarge(InvalidCertificate):
    """It has more text, parts or signatures than are read."""


class Certificate(msgspec.Struct, frozen=True):
    fingerprint: str
    addresses: tuple[str, ...]
    """The email addresses of its user ids, folded."""
    subkeys: tuple[str, ...] = ()
    """Their fingerprints."""

    @property
    def key_id(self) -> str:
        return packets.key_id_of(self.fingerprint)

    @property
    def handles(self) -> list[tuple[str, str]]:
        """Fingerprint and key ID of the primary key and of each subkey."""
        return [(fingerprint, packets.key_id_of(fingerprint)) for fingerprint in (self.fingerprint, *self.subkeys)]


def parse(text: str) -> Certificate:
    """Reads one armored public key block; raises `InvalidCertificate` if it is none."""
    try:
        found = _own_packets(text)
        subkeys = [print_ for tag, packet in found if tag == packets.PUBLIC_SUBKEY for print_ in _prints(packet)]
        certificate = _load(found)
        fingerprint = certificate.fingerprint.upper()
        addresses = _addresses([str(user) for user in certificate.user_ids])
    except InvalidCertificate:
        raise
    except Exception as error:  # the parser has no exceptions of its own
        raise InvalidCertificate from error
    return Certificate(fingerprint, tuple(addresses), tuple(dict.fromkeys(subkeys)))


def load(text: str) -> "Cert":
    """The certificate, without the signatures of others, by which nothing here is verified."""
    return _load(_own_packets(text))


def _load(found: Sequence[tuple[int, bytes]]) -> "Cert":
    return deferred_imports.openpgp().Cert.from_bytes(b"".join(packet for _, packet in found))


def _own_packets(text: str) -> list[tuple[int, bytes]]:
    """The packets of a public key; secret keys, messages, compressed data and too many packets are refused."""
    if not (text.startswith(BEGIN) and text.endswith(END) and text.count(BEGIN) == 1):
        raise InvalidCertificate
    if len(text) > MAX_LENGTH:
        raise CertificateTooLarge
    found = list(packets.split(packets.dearmor(text.encode())))
    if any(tag not in packets.OF_CERTIFICATES for tag, _ in found):
        raise InvalidPackets
    if sum(tag == packets.SIGNATURE for tag, _ in found) > MAX_SIGNATURES:
        raise CertificateTooLarge
    [primary] = _prints(found[0][1])
    own = [(tag, packet) for tag, packet in found if tag != packets.SIGNATURE or _is_by(packet, primary)]
    signatures = sum(tag == packets.SIGNATURE for tag, _ in own)
    if signatures > MAX_OWN_SIGNATURES or sum(tag not in packets.IGNORED for tag, _ in own) - signatures > MAX_PARTS:
        raise CertificateTooLarge
    return own


def _prints(packet: bytes) -> list[str]:
    """The fingerprint of a key."""
    found = deferred_imports.openpgp().packet.PacketPile.from_bytes(packet)
    return [one.fingerprint.upper() for one in found if one.fingerprint]


def _is_by(packet: bytes, primary: str) -> bool:
    """Whether the signature may have been made by this primary key: it names it, or names none."""
    signature = deferred_imports.openpgp().Sig.from_bytes(packet)
    whole, short = signature.issuer_fingerprint, signature.issuer_key_id
    if whole:
        return whole.upper() == primary
    return not short or short.upper() == packets.key_id_of(primary)


class KeyUserId(NamedTuple):
    """A user id of a key: whom it belongs to, as they say."""

    name: str
    address: str
    """Folded."""


def read_user_ids(user_ids: Sequence[str]) -> tuple[KeyUserId, ...]:
    """The user ids that have an address."""
    found = ((user_id, _ADDRESS.search(user_id)) for user_id in user_ids)
    return tuple(
        KeyUserId(user_id[: match.start()].partition("(")[0].strip(), fold(match[1] or match[2]))
        for user_id, match in found
        if match
    )


def _addresses(user_ids: list[str]) -> list[str]:
    return list(dict.fromkeys(signer.address for signer in read_user_ids(user_ids)))
