"""Certificates and their keys, as users give them: parsed, and checked against each other."""

from typing import Any, Final

import msgspec

from mujina.kernel import deferred_imports, errors
from mujina.kernel.errors import Problems

MAX_LENGTH: Final = 64 * 1024


class ReadCertificate(msgspec.Struct, frozen=True):
    """A certificate whose key is known."""

    certificate: str
    key: str
    subject: str
    expires_at: str


def read_certificate(certificate: str, key: str) -> ReadCertificate:
    """The first certificate of a chain, which has to be that of the key; 400 with what is wrong otherwise."""
    problems = Problems()
    problems.limit("certificate", certificate, MAX_LENGTH)
    problems.limit("key", key, MAX_LENGTH)
    problems.refuse()
    chain, private = _chain(certificate), _private(key)
    if not chain:
        problems.add("certificate", "must be a valid PEM certificate")
    if private is None:
        problems.add("key", "must be a valid PEM private key")
    problems.refuse()
    if private is None or _public_bytes(chain[0].public_key()) != _public_bytes(private.public_key()):
        raise errors.invalid({"key": ["doesn't match the certificate"]})
    expires = chain[0].not_valid_after_utc.strftime("%Y-%m-%dT%H:%M:%S.000Z")
    # Written anew: a file may hold the key beside the chain, and everyone who manages the project reads the certificate.
    shown = "".join(_pem(each) for each in chain)
    return ReadCertificate(shown, key.strip() + "\n", chain[0].subject.rfc4514_string(), expires)


def _chain(text: str) -> list[Any]:
    try:
        return deferred_imports.x509().load_pem_x509_certificates(text.encode())
    except ValueError:
        return []


def _pem(certificate: Any) -> str:
    return certificate.public_bytes(deferred_imports.key_forms().Encoding.PEM).decode()


def _private(text: str) -> Any:
    """The key; None if it is none, or is protected by a password."""
    try:
        return deferred_imports.key_forms().load_pem_private_key(text.encode(), password=None)
    except (ValueError, TypeError, deferred_imports.cipher_errors().UnsupportedAlgorithm):
        return None


def _public_bytes(key: Any) -> bytes:
    forms = deferred_imports.key_forms()
    return key.public_bytes(forms.Encoding.DER, forms.PublicFormat.SubjectPublicKeyInfo)
