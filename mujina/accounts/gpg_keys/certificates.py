"""OpenPGP certificates: parsed when they are added, so that a broken one is refused then."""

import re
from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from mujina.accounts.gpg_keys import packets
from mujina.accounts.gpg_keys.packets import InvalidPackets
from mujina.kernel import deferred_imports
from mujina.kernel.text import fold

BEGIN, END = "-----BEGIN PGP PUBLIC KEY BLOCK-----", "-----END PGP PUBLIC KEY BLOCK-----"
MAX_LENGTH = 200_000
"""Characters: enough for dozens of signatures. Parsing more would delay other requests."""

MAX_PARTS = 100
"""Subkeys and user ids: the parser compares all of them with each other."""

_ADDRESS = re.compile(r"<([^<>\s\0]+@[^<>\s\0]+)>|^([^<>\s\0]+@[^<>\s\0]+)$")


class InvalidCertificate(ValueError):
    """The text is not a public key block."""


class Certificate(msgspec.Struct, frozen=True):
    fingerprint: str
    addresses: tuple[str, ...]
    """Of its user ids, folded."""
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
    """What one armored public key block holds, or `InvalidCertificate`."""
    if not (text.startswith(BEGIN) and text.endswith(END) and text.count(BEGIN) == 1 and len(text) <= MAX_LENGTH):
        raise InvalidCertificate
    openpgp = deferred_imports.openpgp()
    try:
        data = packets.dearmor(text.encode())
        subkeys = [packet for tag, packet in _packets(data) if tag == packets.PUBLIC_SUBKEY]
        prints = [one.fingerprint for packet in subkeys for one in openpgp.packet.PacketPile.from_bytes(packet)]
        found = openpgp.Cert.from_bytes(data)
    except Exception as error:  # the parser has no exceptions of its own
        raise InvalidCertificate from error
    fingerprint = found.fingerprint.upper()
    own = dict.fromkeys(each.upper() for each in prints if each and each.upper() != fingerprint)
    return Certificate(fingerprint, tuple(_addresses([str(user) for user in found.user_ids])), tuple(own))


def _packets(data: bytes) -> list[tuple[int, bytes]]:
    """The packets of a public key; secret keys, messages, compressed data and too many parts are refused."""
    found = list(packets.split(data))
    if any(tag not in packets.OF_CERTIFICATES for tag, _ in found):
        raise InvalidPackets
    if sum(tag not in packets.IGNORED | {packets.SIGNATURE} for tag, _ in found) > MAX_PARTS:
        raise InvalidPackets
    return found


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
