"""The one program Mujina runs beside itself: git."""

import re
import subprocess

from mujina.cli.trouble import Trouble

OLDEST_GIT = (2, 39)


def check_git() -> str:
    """What git calls itself; it is there, and not too old."""
    wanted = ".".join(map(str, OLDEST_GIT))
    try:
        told = subprocess.run(["git", "--version"], capture_output=True, check=False).stdout.decode(errors="replace")
    except OSError:
        raise Trouble(f"git cannot be run: install git {wanted} or later.") from None
    found = re.search(r"(\d+)\.(\d+)", told)
    if found is None or (int(found[1]), int(found[2])) < OLDEST_GIT:
        raise Trouble(f"{told.strip()} is too old: install git {wanted} or later.")
    return told.strip()
