"""Repositories on other servers over SSH: their host keys, and keys of our own to sign in there."""

from typing import Final, NamedTuple

from mujina.accounts.keys.public_keys import MAX_LENGTH, InvalidPublicKey, normalize, parse
from mujina.kernel import deferred_imports
from mujina.kernel.errors import Problems
from mujina.kernel.secrets import Vault

HOST_KEY_FAMILIES: Final = ("rsa", "ecdsa", "ed25519")
MAX_HOST_KEYS: Final = 10
BLANK: Final = "can't be blank: the public keys of the server, of which it must have one"
ONLY_SSH: Final = f"are for SSH, at most {MAX_HOST_KEYS}"


class KeyPair(NamedTuple):
    private_key: str
    """Encrypted."""
    public_key: str


def new_key_pair(vault: Vault, purpose: str) -> KeyPair:
    """A key pair for one repository: what opens one server opens no other."""
    forms, key = deferred_imports.key_forms(), deferred_imports.ed25519().Ed25519PrivateKey.generate()
    private = key.private_bytes(forms.Encoding.PEM, forms.PrivateFormat.OpenSSH, forms.NoEncryption())
    public = key.public_key().public_bytes(forms.Encoding.OpenSSH, forms.PublicFormat.OpenSSH)
    return KeyPair(vault.encrypt(private.decode(), purpose), f"{public.decode()} mirror")


def check_host_keys(problems: Problems, field: str, lines: list[str]) -> None:
    if len(lines) > MAX_HOST_KEYS:
        problems.add(field, ONLY_SSH)
        return
    for line in lines:
        try:
            known = parse(normalize(line)).family in HOST_KEY_FAMILIES
        except InvalidPublicKey:
            known = False
        if not known or len(line) > MAX_LENGTH:
            problems.add(field, "are lines such as ssh-ed25519 AAAA…")


def joined(lines: list[str]) -> str:
    """Host keys as they are stored: one on each line."""
    return "\n".join(map(normalize, lines))
