"""Credentials are kept as digests; secrets that must be used again are encrypted under the key of the instance."""

import base64
import contextlib
import hashlib
import hmac
import os
import secrets
import tempfile
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from mujina.kernel import deferred_imports
from mujina.kernel.storage.fsync import folders_above, fsync_folders

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

_VERSION = "v1"
_KEY_BYTES = 32
_NONCE_BYTES = 12
MAX_REMEMBERED = 1_000
"""Secrets that a process keeps decrypted, beside the key."""
INSTANCE_KEY, SSH_HOST_KEY = "instance.key", "ssh_host_ed25519_key"
"""The names of their files."""
OAUTH_LENGTH = 64
"""Characters of an OAuth token: no other token is as long."""


class UnreadableSecret(Exception):
    """An instance key or an encrypted text that cannot be used; the message says why and what to do."""


def new_token() -> str:
    """A personal access token: 20 URL-safe characters, 120 random bits."""
    # Compat: always under 64 characters; some clients tell an OAuth token by its length.
    return secrets.token_urlsafe(15)


def new_oauth_token() -> str:
    """An OAuth token: 64 hexadecimal digits."""
    return secrets.token_hex(32)


def new_client_id() -> str:
    """The public id of an OAuth client: 64 hexadecimal digits."""
    return secrets.token_hex(32)


def new_node_secret() -> str:
    """The key with which a replication node signs its requests: 40 URL-safe characters."""
    return secrets.token_urlsafe(30)


def new_password() -> str:
    """A generated password, shown once: 16 URL-safe characters."""
    return secrets.token_urlsafe(12)


def new_recovery_code() -> str:
    """A two-factor recovery code: 16 letters and digits without lookalikes."""
    return base64.b32encode(secrets.token_bytes(10)).decode().lower()


def digest(token: str) -> str:
    """The stored form of a token. Tokens are long and random, so a plain hash cannot be reversed by guessing."""
    return hashlib.sha256(_bytes(token)).hexdigest()


def same(one: str, other: str) -> bool:
    """Whether two secrets are equal, compared in constant time."""
    return hmac.compare_digest(_bytes(one), _bytes(other))


def form_token(cookie: str) -> str:
    """The CSRF token of forms: derived one-way from the session cookie, which no other site can read."""
    return hmac.digest(_bytes(cookie), b"mujina form", "sha256").hex()


def masked_form_token(cookie: str) -> str:
    """The CSRF token under a random mask: no two responses contain the same bytes of it."""
    token = bytes.fromhex(form_token(cookie))
    mask = secrets.token_bytes(len(token))
    return (mask + _xor(mask, token)).hex()


def is_form_token(cookie: str, masked: str) -> bool:
    """Whether this is the CSRF token of the cookie, under any mask."""
    try:
        data = bytes.fromhex(masked)
    except ValueError:
        return False
    half = len(data) // 2
    return bool(cookie) and hmac.compare_digest(_xor(data[:half], data[half:]).hex(), form_token(cookie))


def _xor(one: bytes, other: bytes) -> bytes:
    length = min(len(one), len(other))
    return (int.from_bytes(one[:length]) ^ int.from_bytes(other[:length])).to_bytes(length)


def new_nonce() -> str:
    """The nonce that allows the scripts of one response: 16 random bytes."""
    return secrets.token_urlsafe(16)


def sign(cookie: str, text: str) -> str:
    """A text that the browser of this cookie keeps for us: no other site can make one."""
    body = base64.urlsafe_b64encode(_bytes(text)).decode()
    return f"{body}.{_cookie_signature(cookie, body)}"


def read_signed(cookie: str, signed: str) -> str | None:
    """The text that `sign` signed for this cookie, or None."""
    body, _, signature = signed.rpartition(".")
    if not cookie or not hmac.compare_digest(_bytes(signature), _bytes(_cookie_signature(cookie, body))):
        return None
    return base64.urlsafe_b64decode(body).decode("utf-8", "surrogatepass")


def _cookie_signature(cookie: str, body: str) -> str:
    return hmac.digest(_bytes(cookie), b"mujina flash " + _bytes(body), "sha256").hex()


def new_key() -> str:
    """A key for `Vault`, as text that fits a file, a setting or an environment variable."""
    return base64.urlsafe_b64encode(secrets.token_bytes(_KEY_BYTES)).decode()


def instance_key(data: Path, given: str | None = None) -> str:
    """The key of a new instance: the one given, else the one in the data folder, made there if there is none.

    Processes that start together agree on one key, and a crash leaves either the whole key or none.
    """
    found = find_instance_key(data, given)
    if found is None:
        path = data / "secrets" / INSTANCE_KEY
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        publish(path, new_key() + "\n")
        found = path.read_text().strip()
    return found


def find_instance_key(data: Path, given: str | None) -> str | None:
    """The key given, else the one in the data folder; None if there is neither."""
    if given:
        return given
    path = data / "secrets" / INSTANCE_KEY
    try:
        return path.read_text().strip()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UnreadableSecret(f"The instance key {path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError:
        raise UnreadableSecret(f"The instance key {path} is damaged: restore it from a backup.") from None


def ssh_host_key(data: Path) -> Path:
    """The file of the key by which SSH clients know this instance; made at the first start, as that of the instance."""
    path = data / "secrets" / SSH_HOST_KEY
    if not has_ssh_host_key(data):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        forms = deferred_imports.key_forms()
        key = deferred_imports.ed25519().Ed25519PrivateKey.generate()
        encoded = key.private_bytes(forms.Encoding.PEM, forms.PrivateFormat.OpenSSH, forms.NoEncryption())
        publish(path, encoded.decode())
    return path


def has_ssh_host_key(data: Path) -> bool:
    """Whether there is a key by which SSH clients know this instance.

    `UnreadableSecret` if it is damaged: its reader is imported only for the first client, and that is too late to be told.
    """
    path = data / "secrets" / SSH_HOST_KEY
    if not path.exists():
        return False
    _check_private_key(path)
    return True


def _check_private_key(path: Path) -> None:
    try:
        lines = path.read_text().strip().splitlines()
    except OSError as error:
        raise UnreadableSecret(f"The SSH host key {path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError:
        lines = []
    if not (len(lines) > 2 and lines[0].startswith("-----BEGIN ") and lines[-1] == lines[0].replace("BEGIN", "END", 1)):
        raise UnreadableSecret(
            f"The SSH host key {path} is damaged: restore it from a backup, or remove it to get a new one, "
            "which SSH clients have to accept."
        )


class Vault:
    """Encrypts for one purpose at a time: a text stored as a runner's token cannot be decrypted as anything else.

    `keys` is one or more keys separated by white space: the first encrypts, all of them decrypt. A key is changed by
    putting the new one in front.
    """

    def __init__(self, keys: str) -> None:
        self._keys = {_key_id(key): key for key in map(_parse_key, keys.split())}
        if not self._keys:
            raise UnreadableSecret("The instance key is empty. Give the key this instance was first started with.")
        self.key_id = next(iter(self._keys))
        # What is encrypted never changes: lists show the tokens of many projects, the same ones again and again.
        self._decrypted = lru_cache(MAX_REMEMBERED)(self._decrypt)

    def knows(self, key_id: str) -> bool:
        """Whether what was encrypted under this key can be read."""
        return key_id in self._keys

    def sign(self, text: str, purpose: str) -> str:
        """A signature of the text that only this instance can make: 32 hexadecimal digits."""
        return _signature(self._keys[self.key_id], text, purpose)

    def signed(self, text: str, purpose: str, signature: str) -> bool:
        """Whether this instance signed the text for this purpose, with any of its keys."""
        return any(same(_signature(key, text, purpose), signature) for key in self._keys.values())

    def encrypt(self, text: str, purpose: str) -> str:
        """The text as `v1:key id:…`, different every time."""
        header = f"{_VERSION}:{self.key_id}"
        nonce = secrets.token_bytes(_NONCE_BYTES)
        encrypted = _cipher(self._keys[self.key_id]).encrypt(nonce, _bytes(text), _bound(header, purpose))
        return f"{header}:{base64.urlsafe_b64encode(nonce + encrypted).decode()}"

    def decrypt(self, stored: str, purpose: str) -> str:
        """The text that was encrypted for this purpose, or `UnreadableSecret`."""
        return self._decrypted(stored, purpose)

    def _decrypt(self, stored: str, purpose: str) -> str:
        header, _, body = stored.rpartition(":")
        version, _, key_id = header.partition(":")
        if version != _VERSION:
            raise UnreadableSecret("This is no secret that this version of Mujina has encrypted.")
        key = self._keys.get(key_id)
        if key is None:
            raise UnreadableSecret(
                f"This secret was encrypted under the instance key {key_id}, but the key in use is {self.key_id}. "
                "Give that key again (secrets/instance.key in the data folder, or the setting)."
            )
        try:
            encrypted = _unpacked(body)
            nonce, encrypted = encrypted[:_NONCE_BYTES], encrypted[_NONCE_BYTES:]
            return _cipher(key).decrypt(nonce, encrypted, _bound(header, purpose)).decode("utf-8", "surrogatepass")
        except (ValueError, deferred_imports.cipher_errors().InvalidTag) as error:
            raise UnreadableSecret(
                "This secret was changed after it was encrypted, or is used for another purpose."
            ) from error


@lru_cache(8)
def _cipher(key: bytes) -> "AESGCM":
    return deferred_imports.ciphers().AESGCM(key)


def _signature(key: bytes, text: str, purpose: str) -> str:
    return hmac.digest(key, _bytes(f"mujina signature\n{purpose}\n{text}"), "sha256").hex()[:32]


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _unpacked(body: str) -> bytes:
    """Unpacks a text of `encrypt`; base64 alone would read several texts as the same bytes."""
    unpacked = base64.urlsafe_b64decode(body)
    if base64.urlsafe_b64encode(unpacked).decode() != body:
        raise ValueError("not as it was packed")
    return unpacked


def _bound(header: str, purpose: str) -> bytes:
    return f"{header}:{purpose}".encode()


def _parse_key(text: str) -> bytes:
    try:
        key = base64.b64decode(text, altchars=b"-_", validate=True)
    except ValueError:
        key = b""
    if len(key) != _KEY_BYTES:
        raise UnreadableSecret(
            "The instance key must be 32 bytes in URL-safe base64 (44 characters), as Mujina made it."
        )
    return key


def _key_id(key: bytes) -> str:
    """A public id of a key that reveals nothing about it."""
    return hmac.digest(key, b"mujina key id", "sha256").hex()[:8]


def publish(path: Path, text: str) -> None:
    """Make the file whole, durable and readable to its owner only, unless another process was first."""
    with tempfile.NamedTemporaryFile("w", dir=path.parent) as draft:
        draft.write(text)
        draft.flush()
        os.fsync(draft.fileno())
        with contextlib.suppress(FileExistsError):
            path.hardlink_to(draft.name)
    fsync_folders(folders_above(path, path.parent))
