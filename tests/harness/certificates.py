"""Certificates of an authority that nobody else trusts, for servers at 127.0.0.1."""

from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


def certify(folder: Path) -> None:
    """An authority, a certificate of it for 127.0.0.1, and one that has expired, for the same key."""
    now = datetime.now(UTC)
    keys = {name: ec.generate_private_key(ec.SECP256R1()) for name in ("authority", "server")}
    names = {name: x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, f"tests {name}")]) for name in keys}
    until = timedelta(days=2)
    for file, name, lifetime in (
        ("authority", "authority", until),
        ("server", "server", until),
        ("expired", "server", -timedelta(hours=1)),
    ):
        key = keys[name]
        certificate = (
            x509.CertificateBuilder()
            .subject_name(names[name])
            .issuer_name(names["authority"])
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - timedelta(days=1))
            .not_valid_after(now + lifetime)
            .add_extension(x509.BasicConstraints(ca=name == "authority", path_length=None), critical=True)
            .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
            .sign(keys["authority"], hashes.SHA256())
        )
        (folder / f"{file}.pem").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    (folder / "server.key").write_bytes(
        keys["server"].private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
        )
    )


def self_signed(name: str = "www.example.org", days: int = 30, begins: int = -60) -> tuple[str, str]:
    """A certificate and its key, both as PEM."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    start, end = (datetime.now(UTC) + timedelta(days=each) for each in (begins, days))
    signed = (
        x509.CertificateBuilder().subject_name(subject).issuer_name(subject).public_key(key.public_key())
        .serial_number(1).not_valid_before(start).not_valid_after(end).sign(key, hashes.SHA256())
    )  # fmt: skip
    encoding, form = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
    private = key.private_bytes(encoding, form, serialization.NoEncryption())
    return signed.public_bytes(encoding).decode(), private.decode()
