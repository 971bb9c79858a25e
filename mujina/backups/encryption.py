"""What is stored in a target: as it is, or encrypted with a key that a passphrase or a key file gives.

The nonce of a part is derived from its content, so the same content is encrypted to the same bytes and is stored once.
"""

import base64
import hashlib
import hmac
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Final, Literal, Protocol

import msgspec

from mujina.backups.errors import BackupError
from mujina.kernel import deferred_imports

SCRYPT_N: Final = 2**17
SCRYPT_R: Final = 8
MAX_SCRYPT_BYTES: Final = 2**28
MIN_KEY_BYTES: Final = 32
_NONCE_BYTES: Final = 12
_CHECK: Final = b"mujina backup"


class EncryptionRecord(msgspec.Struct, frozen=True):
    """How the key of a target is made, without anything of the key itself."""

    by: Literal["passphrase", "key file"]
    salt: str
    n: int
    check: str
    """A known text, encrypted: a wrong key cannot decrypt it."""


class BackupCredentials(msgspec.Struct, frozen=True):
    """What the operator gives to encrypt or decrypt: a key file, or a passphrase that is asked for only if it is needed."""

    passphrase: Callable[[], str]
    key_file: Path | None = None

    def key(self, by: str, salt: bytes, n: int) -> bytes:
        """The key of a target."""
        if by == "key file":
            if self.key_file is None:
                raise BackupError("These backups are encrypted with a key file: give it with --key-file.")
            return hmac.digest(_read_key(self.key_file), b"mujina backup key" + salt, "sha256")
        if self.key_file is not None:
            raise BackupError("These backups are encrypted with a passphrase, not with a key file.")
        text = self.passphrase().encode("utf-8", "surrogatepass")
        return hashlib.scrypt(text, salt=salt, n=n, r=SCRYPT_R, p=1, maxmem=MAX_SCRYPT_BYTES, dklen=32)


class Cipher(Protocol):
    """Between what is backed up and what is stored."""

    def encrypt(self, data: bytes, purpose: str) -> bytes: ...

    def decrypt(self, data: bytes, purpose: str) -> bytes:
        """`ValueError` if these are not the bytes that were encrypted for this purpose."""
        ...


class Plain:
    """Stores everything as it is."""

    def encrypt(self, data: bytes, purpose: str) -> bytes:  # noqa: ARG002 - as of a cipher
        return data

    def decrypt(self, data: bytes, purpose: str) -> bytes:  # noqa: ARG002 - as of a cipher
        return data


class Encrypted:
    """AES-256-GCM; what was encrypted for one purpose cannot be decrypted for another."""

    def __init__(self, key: bytes) -> None:
        self._cipher = deferred_imports.ciphers().AESGCM(hmac.digest(key, b"encrypt", "sha256"))
        self._nonces = hmac.digest(key, b"nonce", "sha256")

    def encrypt(self, data: bytes, purpose: str) -> bytes:
        bound = purpose.encode()
        nonce = hmac.digest(self._nonces, bound + b"\0" + hashlib.blake2b(data).digest(), "sha256")[:_NONCE_BYTES]
        return nonce + self._cipher.encrypt(nonce, data, bound)

    def decrypt(self, data: bytes, purpose: str) -> bytes:
        try:
            return self._cipher.decrypt(data[:_NONCE_BYTES], data[_NONCE_BYTES:], purpose.encode())
        except deferred_imports.cipher_errors().InvalidTag:
            raise ValueError("not what was encrypted") from None


def new_cipher(credentials: BackupCredentials) -> tuple[EncryptionRecord, Cipher]:
    """The record and the cipher of a new target that is encrypted with these credentials."""
    salt, by = secrets.token_bytes(16), "passphrase" if credentials.key_file is None else "key file"
    cipher = Encrypted(credentials.key(by, salt, SCRYPT_N))
    return EncryptionRecord(by, _text(salt), SCRYPT_N, _text(cipher.encrypt(_CHECK, "check"))), cipher


def open_cipher(record: EncryptionRecord, credentials: BackupCredentials) -> Cipher:
    """The cipher of an encrypted target; `BackupError` if the credentials are not those that it was made with."""
    if not 2 <= record.n <= SCRYPT_N:
        raise BackupError("These backups need more memory to decrypt than this version of Mujina allows.")
    cipher = Encrypted(credentials.key(record.by, base64.b64decode(record.salt), record.n))
    try:
        cipher.decrypt(base64.b64decode(record.check), "check")
    except ValueError:
        raise BackupError(f"The {record.by} is not the one that these backups are encrypted with.") from None
    return cipher


def _read_key(path: Path) -> bytes:
    try:
        key = path.read_bytes()
    except OSError as error:
        raise BackupError(f"The key file {path} cannot be read: {error.strerror}.") from None
    if len(key) < MIN_KEY_BYTES:
        raise BackupError(f"The key file {path} is too short: `openssl rand -out {path} 32` makes one.")
    return key


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode()
