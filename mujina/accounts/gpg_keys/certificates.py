"""OpenPGP certificates: parsed when they are added, so that a broken one is refused then."""

import re

import msgspec

from mujina.kernel import deferred_imports
from mujina.kernel.text import fold

BEGIN, END = "-----BEGIN PGP PUBLIC KEY BLOCK-----", "-----END PGP PUBLIC KEY BLOCK-----"
MAX_LENGTH = 200_000
"""Characters: enough for dozens of signatures. Parsing more would delay other requests."""

_KEY_ID_DIGITS = 16
_ADDRESS = re.compile(r"<([^<>\s]+@[^<>\s]+)>|^([^<>\s]+@[^<>\s]+)$")


class InvalidCertificate(ValueError):
    """The text is not a public key block."""


class Certificate(msgspec.Struct, frozen=True):
    fingerprint: str
    addresses: tuple[str, ...]
    """Of its user ids, folded."""

    @property
    def key_id(self) -> str:
        return self.fingerprint[-_KEY_ID_DIGITS:]


def parse(text: str) -> Certificate:
    """What one armored public key block holds, or `InvalidCertificate`."""
    if not (text.startswith(BEGIN) and text.endswith(END) and text.count(BEGIN) == 1 and len(text) <= MAX_LENGTH):
        raise InvalidCertificate
    data, openpgp = text.encode(), deferred_imports.openpgp()
    secret = (openpgp.packet.Tag.SecretKey, openpgp.packet.Tag.SecretSubkey)
    try:
        leaked = any(packet.tag in secret for packet in openpgp.packet.PacketPile.from_bytes(data))
        found = openpgp.Cert.from_bytes(data)
    except Exception as error:  # the parser has no exceptions of its own
        raise InvalidCertificate from error
    if leaked:
        raise InvalidCertificate
    return Certificate(found.fingerprint.upper(), tuple(_addresses([str(user) for user in found.user_ids])))


def _addresses(user_ids: list[str]) -> list[str]:
    found = (_ADDRESS.search(user_id) for user_id in user_ids)
    return list(dict.fromkeys(fold(match[1] or match[2]) for match in found if match))
