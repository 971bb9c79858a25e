"""Keys as people have them: made by `gpg`, once for the whole run."""

import subprocess

import pytest


@pytest.fixture(scope="session")
def home(tmp_path_factory):
    """A folder of keys of its own; its path must be short, for a socket is made in it."""
    folder = tmp_path_factory.mktemp("g")
    folder.chmod(0o700)
    yield folder
    subprocess.run(["gpgconf", "--homedir", folder, "--kill", "all"], check=False)


@pytest.fixture(scope="session")
def gpg(home):
    def run(*arguments):
        command = ["gpg", "--homedir", home, "--batch", "--quiet", "--pinentry-mode", "loopback", "--passphrase", ""]
        return subprocess.run([*command, *arguments], check=True, capture_output=True, text=True).stdout

    return run


@pytest.fixture(scope="session")
def made(gpg):
    """`made("guest")`: the armored public key of that person, as `gpg --export` writes it."""
    blocks = {}

    def make(name):
        if name not in blocks:
            address = f"{name}@example.org"
            gpg("--quick-generate-key", f"{name.capitalize()} <{address}>", "ed25519", "sign", "never")
            blocks[name] = gpg("--armor", "--export", address)
        return blocks[name]

    return make
