"""Keys as people have them: made by `ssh-keygen`, once for the whole run."""

import base64
import hashlib
import subprocess

import pytest


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    """`made("ed25519")`, `made("rsa", 1024)`: the public key as `ssh-keygen` writes it, another one for each name."""
    folder = tmp_path_factory.mktemp("keys")

    def make(family, bits=None, name="one"):
        path = folder / f"{family}-{bits}-{name}"
        if not path.exists():
            length = ["-b", str(bits)] if bits else []
            subprocess.run(
                ["ssh-keygen", "-q", "-t", family, *length, "-N", "", "-C", "me@home", "-f", path], check=True
            )
        return path.with_suffix(".pub").read_text()

    return make


@pytest.fixture(scope="session")
def in_hardware():
    """A key that lives in a security key, as `ssh-keygen -t ed25519-sk` would write it: that needs one to be touched."""
    kind = b"sk-ssh-ed25519@openssh.com"
    parts = (kind, hashlib.sha256(b"a security key").digest(), b"ssh:")
    blob = b"".join(len(part).to_bytes(4) + part for part in parts)
    return f"{kind.decode()} {base64.b64encode(blob).decode()} me@home"
