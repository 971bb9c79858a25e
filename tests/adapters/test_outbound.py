"""Calls over real sockets, in a network namespace that holds nothing but loopback: see `outbound_on_loopback.py`,
and `hooks_on_loopback.py` for hooks end to end.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

STORIES = Path(__file__).with_name("outbound_on_loopback.py")
HOOKS = Path(__file__).parents[1] / "integrations" / "deliveries" / "hooks_on_loopback.py"

NAMESPACE = ["unshare", "--net"] if os.geteuid() == 0 else ["unshare", "--net", "--map-root-user"]
"""A namespace of its own: whatever the guard lets through, no packet leaves the machine."""

LOOPBACK_UP = 'ip link set lo up && ip address add 3aaa::1/128 dev lo && exec "$@"'
"""3aaa::1 is public by its form and belongs to nobody."""


def alone(*command: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    return subprocess.run(
        [*NAMESPACE, "sh", "-c", LOOPBACK_UP, "sh", *command],
        cwd=STORIES.parents[2],
        env=environment,
        check=False,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def test_calls_reach_only_what_the_guard_lets_through():
    possible = alone("true")
    if possible.returncode:
        pytest.fail(
            "These tests need a network namespace: `unshare` (util-linux) and `ip` (iproute2), and the right to use "
            f"them (root, or user namespaces enabled). The system says: {possible.stdout.strip()}"
        )
    plain = ["-o", "addopts=", "--noconftest", "-p", "no:cacheprovider"]
    run = alone(sys.executable, "-m", "pytest", *plain, str(STORIES), str(HOOKS))
    assert run.returncode == 0, run.stdout
