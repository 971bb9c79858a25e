"""The command line as users run it: arguments, an environment, output and exit code."""

import io
import os
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from unittest.mock import patch

from mujina.cli.main import main
from tests.harness import fork_server
from tests.harness.canaries import CANARIES
from tests.harness.watching import log_restored

CHEAP_PASSWORDS = {"MUJINA_PASSWORD_KILOBYTES": "64"}


@dataclass(frozen=True)
class Result:
    code: int
    out: str
    err: str

    @property
    def error(self) -> str:
        """The one sentence that the command printed to stderr; its exit code is 2."""
        assert self.code == 2, self.out + self.err
        assert self.err.startswith("mujina: ")
        assert self.err.count("\n") == 1, self.err
        return self.err.removeprefix("mujina: ").strip()


def mujina(*arguments: str, stdin: str = "", **environment: str) -> Result:
    """Run a command in this process: starting another takes longer than most commands."""
    out, err = io.StringIO(), io.StringIO()
    with (
        patch.dict(os.environ, CHEAP_PASSWORDS | environment),
        patch.object(sys, "argv", ["mujina", *arguments]),
        patch.object(sys, "stdin", io.StringIO(stdin)),
        redirect_stdout(out),
        redirect_stderr(err),
        log_restored(),
    ):
        code = main()
    CANARIES.sweep("stderr", err.getvalue().encode())
    return Result(code, out.getvalue(), err.getvalue())


def mujina_process(*arguments: str, **environment: str) -> Result:
    """Run a command in a separate process."""
    return Result(*fork_server.run("mujina", *arguments, environment=os.environ | CHEAP_PASSWORDS | environment))
