"""The command line as people use it: a process with arguments, an environment and an exit code."""

import os
import subprocess
import sys

from tests.harness.running import ROOT


def mujina(*words: str, typed: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a verb to its end."""
    return subprocess.run(
        [sys.executable, "-m", "mujina", *words],
        cwd=ROOT,
        env=os.environ | {"MUJINA_PASSWORD_KILOBYTES": "64"} | environment,
        input=typed,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def refusal(*words: str, **environment: str) -> str:
    """The one sentence with which a verb refuses, told on stderr with the exit code 2."""
    ended = mujina(*words, **environment)
    assert ended.returncode == 2, ended.stdout + ended.stderr
    assert ended.stderr.startswith("mujina: ")
    assert ended.stderr.count("\n") == 1, ended.stderr
    return ended.stderr.removeprefix("mujina: ").strip()
