"""Programs that see file systems of their own, in a mount namespace that ends with them."""

import os
import subprocess
from functools import cache

import pytest

AS_ROOT = () if os.geteuid() == 0 else ("--user", "--map-root-user")
"""Others than root may mount as root of a user namespace, which some systems forbid."""


def mounting(script: str, user: tuple[str, ...] = AS_ROOT) -> tuple[str, ...]:
    """The start of a command: a shell mounts by the script, then becomes the program whose words follow.

    Where the system forbids mounts, the test fails with one sentence.
    """
    if refusal := _refusal():
        pytest.fail(
            f"This test needs the right to mount in a namespace of its own (root, or user namespaces): {refusal}",
            pytrace=False,
        )
    return ("unshare", "--mount", *user, "sh", "-c", f'{script} && exec "$@"', "sh")


@cache
def _refusal() -> str:
    """What the system says to a mount; empty if it allows it."""
    command = ["unshare", "--mount", *AS_ROOT, "mount", "-t", "tmpfs", "tmpfs", "/tmp"]
    tried = subprocess.run(command, capture_output=True, text=True, check=False)
    return tried.stderr.strip() if tried.returncode else ""
