"""The certificate that an operator names: read from its files, with a sentence about what is wrong with them."""

import ssl
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from mujina.kernel import deferred_imports
from mujina.settings import Settings

if TYPE_CHECKING:
    from cryptography.x509 import Certificate


class UnusableCertificate(Exception):
    """The message says which setting has to be changed, and how."""


def load_site_certificate(settings: Settings) -> ssl.SSLContext | None:
    """A context with the certificate for the names below `pages_url`; None if there is none."""
    path, key = settings.pages_tls_certificate, settings.pages_tls_key
    if path is None:
        if key is not None:
            raise UnusableCertificate(
                f"pages_tls_key is set to {key}, but pages_tls_certificate is not: name the file of the certificate, or unset both."
            )
        return None
    _first_certificate(path)
    key_text = _read(key or path, "pages_tls_key")
    if b"PRIVATE KEY-----" not in key_text:
        if key is None:
            raise UnusableCertificate(f"pages_tls_key is not set, and {path} has no key: name the file with the key.")
        raise UnusableCertificate(f"pages_tls_key: {key} has no key in PEM: name the file with the key of {path}.")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        context.load_cert_chain(path, key, password=_refuse_password)
    except ssl.SSLError as error:
        if error.reason == "KEY_VALUES_MISMATCH":
            raise UnusableCertificate(
                f"pages_tls_key: {key or path} has another key than that of the certificate in {path}: name the files of one pair."
            ) from None
        raise UnusableCertificate(
            f"pages_tls_certificate: {path} cannot be used with its key ({error.reason or error}): name other files."
        ) from None
    return context


def _read(path: Path, setting: str) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise UnusableCertificate(
            f"{setting}: {path} cannot be read ({error.strerror}): name another file, or let the user that runs Mujina read it."
        ) from None


def check_site_certificate(settings: Settings) -> None:
    """Refuse also a certificate of another time: browsers warn of it, but the server starts with it."""
    load_site_certificate(settings)
    path = settings.pages_tls_certificate
    if path is None:
        return
    certificate = _first_certificate(path)
    begin, end, now = certificate.not_valid_before_utc, certificate.not_valid_after_utc, datetime.now(UTC)
    if now > end:
        raise UnusableCertificate(
            f"pages_tls_certificate: {path} expired at {end:%Y-%m-%d %H:%M} UTC: renew it, or unset it to serve only domains "
            "that have their own."
        )
    if now < begin:
        raise UnusableCertificate(
            f"pages_tls_certificate: {path} is valid from {begin:%Y-%m-%d %H:%M} UTC: see that the clock is right, or name "
            "another file."
        )


def _first_certificate(path: Path) -> "Certificate":
    try:
        return deferred_imports.x509().load_pem_x509_certificates(_read(path, "pages_tls_certificate"))[0]
    except ValueError:
        raise UnusableCertificate(
            f"pages_tls_certificate: {path} has no certificate in PEM: name the file of the chain."
        ) from None


def _refuse_password() -> str:
    """A server that starts by itself cannot ask for one, as the library would do."""
    raise UnusableCertificate(
        "pages_tls_key: the key is protected by a password: store it without one (`openssl pkey`), readable to the user that "
        "runs Mujina only."
    )
