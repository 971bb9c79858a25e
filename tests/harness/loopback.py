"""Test files that run in a network namespace that has nothing but loopback: no packet of theirs leaves the machine."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.harness.fork_server import ROOT

NAMESPACE = ("unshare", "--net") if os.geteuid() == 0 else ("unshare", "--net", "--map-root-user")


def run_on_loopback(*files: Path, setup: str = "true", arguments: tuple[str, ...] = (), **environment: str) -> None:
    """Run the tests of these files, without the fixtures of `conftest.py`, after the shell command `setup`. One that fails
    fails the caller.
    """
    possible = _alone("true", "true")
    if possible.returncode:
        pytest.fail(
            "These tests need a network namespace: `unshare` (util-linux) and `ip` (iproute2), and the right to use "
            f"them (root, or user namespaces enabled). The system says: {possible.stdout.strip()}"
        )
    plain = ("-o", "addopts=", "--noconftest", "-p", "no:cacheprovider", *arguments)
    run = _alone(setup, sys.executable, "-m", "pytest", *plain, *map(str, files), **environment)
    assert run.returncode == 0, run.stdout


def _alone(setup: str, *command: str, **more: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    return subprocess.run(
        [*NAMESPACE, "sh", "-c", f'ip link set lo up && {setup} && exec "$@"', "sh", *command],
        cwd=ROOT,
        env=environment | more,
        check=False,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
