"""The command line as people use it: words, an environment, what it prints and its exit code."""

import io
import os
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from unittest.mock import patch

from mujina.cli.main import main
from tests.harness.canaries import CANARIES
from tests.harness.running import ROOT

CHEAP_PASSWORDS = {"MUJINA_PASSWORD_KILOBYTES": "64"}


@dataclass(frozen=True)
class Ended:
    code: int
    out: str
    err: str

    @property
    def refusal(self) -> str:
        """The one sentence with which the verb refused, told on stderr with the exit code 2."""
        assert self.code == 2, self.out + self.err
        assert self.err.startswith("mujina: ")
        assert self.err.count("\n") == 1, self.err
        return self.err.removeprefix("mujina: ").strip()


def mujina(*words: str, typed: str = "", **environment: str) -> Ended:
    """Run a verb to its end, in this process: starting one takes longer than most verbs."""
    out, err = io.StringIO(), io.StringIO()
    with (
        patch.dict(os.environ, CHEAP_PASSWORDS | environment),
        patch.object(sys, "argv", ["mujina", *words]),
        patch.object(sys, "stdin", io.StringIO(typed)),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        code = main()
    CANARIES.sweep("stderr", err.getvalue().encode())
    return Ended(code, out.getvalue(), err.getvalue())


def mujina_process(*words: str, **environment: str) -> Ended:
    """Run a verb to its end, in a process of its own."""
    ended = subprocess.run(
        [sys.executable, "-m", "mujina", *words],
        cwd=ROOT,
        env=os.environ | CHEAP_PASSWORDS | environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return Ended(ended.returncode, ended.stdout, ended.stderr)
