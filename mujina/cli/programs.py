"""The external program that Mujina needs: git."""

import re
import subprocess

from mujina.cli.errors import CommandError

MIN_GIT_VERSION = (2, 39)


def check_git() -> str:
    """Return the version line of git, which is installed and recent enough."""
    minimum = ".".join(map(str, MIN_GIT_VERSION))
    try:
        output = subprocess.run(["git", "--version"], capture_output=True, check=False).stdout.decode(errors="replace")
    except OSError:
        raise CommandError(f"git cannot be run: install git {minimum} or later.") from None
    version = re.search(r"(\d+)\.(\d+)", output)
    if version is None or (int(version[1]), int(version[2])) < MIN_GIT_VERSION:
        raise CommandError(f"{output.strip()} is too old: install git {minimum} or later.")
    return output.strip()
