"""OpenSSH's own server on this machine, with git's own programs behind it."""

import getpass
import os
import re
import shlex
import shutil
import socket
import subprocess
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from tests.harness.mounts import mounting
from tests.harness.ports import free_port

PASSWORD = "ssh-secret"
_HASH = "$6$mujinasalt$fmyDTUw5EJrY8ijPonWmZ60W8QZhWJAObp5sPt1JyhVjnTqVO396CGqzlBQnQj4KHIfPJSmM3V4Aae8NGypPm."
USER = "git" if os.geteuid() == 0 else getpass.getuser()
"""A server of root sees an account of the tests' own, with a password. Without root it serves its own user only, and reads
no passwords.
"""
CONFIGURATION = """\
ListenAddress 127.0.0.1:{port}
HostKey {folder}/host_key
AuthorizedKeysFile {folder}/authorized_keys
ForceCommand {command}
PidFile none
StrictModes no
UsePAM no
PermitRootLogin yes
LogLevel VERBOSE
"""
GIT_SHELL = 'git-shell -c "$SSH_ORIGINAL_COMMAND"'


class Sshd:
    """A running server; the keys that it accepts are those of a file."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = free_port()
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / "host_key"], check=True)
        self.host_key = " ".join((folder / "host_key.pub").read_text().split()[:2])
        self.accept()

    def accept(self, *keys: str) -> None:
        """From now on, these public keys open it, and no others."""
        (self.folder / "authorized_keys").write_text("".join(f"{key}\n" for key in keys))

    @property
    def tried(self) -> list[str]:
        """The user of each attempt to sign in with a key, accepted or not."""
        return re.findall(r"(?:Accepted|Failed) publickey for (\S+) from", (self.folder / "log").read_text())


@contextmanager
def running_sshd(folder: Path, command: str = GIT_SHELL) -> Generator[Sshd]:
    """A server that answers, until the block ends; whatever is asked of it, it runs the command."""
    program = shutil.which("sshd", path=f"{os.environ['PATH']}:/usr/sbin:/sbin")
    assert program, "sshd is missing: run tests/system_packages"
    folder.mkdir()
    server = Sshd(folder)
    (folder / "sshd_config").write_text(CONFIGURATION.format(port=server.port, folder=folder, command=command))
    # It ends with this process, even if that is killed.
    words = ["setpriv", "--pdeathsig", "KILL", program, "-D", "-e", "-f", str(folder / "sshd_config")]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen([*_own_accounts(folder), *words], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    try:
        _wait(server, process)
        yield server
    finally:
        process.kill()
        process.wait()


def _own_accounts(folder: Path) -> tuple[str, ...]:
    """The start of the command: as root, it mounts lists of accounts with one more, and the folder that sshd asks for."""
    if os.geteuid() != 0:
        return ()
    lines = {"passwd": f"{USER}:x:0:0::{folder}:/bin/sh", "shadow": f"{USER}:{_HASH}:19000:0:99999:7:::"}
    for name, line in lines.items():
        (folder / name).write_text(f"{line}\n{Path('/etc', name).read_text()}")
    here = shlex.quote(str(folder))
    mounts = [f"mount --bind {here}/{name} /etc/{name}" for name in lines]
    return mounting(" && ".join(["mount -t tmpfs tmpfs /run", "mkdir /run/sshd", *mounts]))


def _wait(server: Sshd, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 60
    while process.poll() is None and time.monotonic() < deadline:
        try:
            socket.create_connection(("127.0.0.1", server.port), timeout=1).close()
        except OSError:
            time.sleep(0.02)
        else:
            return
    raise AssertionError((server.folder / "log").read_text())
