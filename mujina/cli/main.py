"""The entry point of the command line."""

import gc
import sys
from collections.abc import Sequence
from importlib import import_module

from mujina.cli.errors import run_command
from mujina.cli.output import discard_output
from mujina.processes.memory import limit_kept_memory

SIGPIPE_EXIT = 141
"""The exit code that shells give a program whose reader has gone."""
PLAIN_FLAGS = frozenset(
    {
        "--data",
        "--database-url",
        "--config",
        "--host",
        "--port",
        "--workers",
        "--ssh-port",
        "--pages-port",
        "--ready-file",
    }
)
"""The flags of `mujina serve`; their values are checked with all other settings, not where the flags are read."""
TESTING, SWITCHES = "--testing", frozenset({"--testing", "--stop-with-stdin"})
"""The flags without a value; the first one chooses the testing mode, to which the others belong."""


def main() -> int:
    """Run the command and return its exit code."""
    if sys.argv[1:2] in (["serve"], ["worker"]):
        gc.disable()  # what is imported stays; `run_services` collects garbage again
        limit_kept_memory()
    try:
        code = run_command(_command)
        sys.stdout.flush()
    except BrokenPipeError:
        discard_output()
        return SIGPIPE_EXIT
    except KeyboardInterrupt:
        return 130
    return code


def _command() -> int | None:
    """A start with plain flags needs no library for command lines, which takes 90 ms and 3 MB."""
    switches = SWITCHES.intersection(sys.argv)
    flags = plain_flags([word for word in sys.argv[1:] if word not in switches])
    if flags is None or (switches and TESTING not in switches):
        return import_module("mujina.cli.commands.application").run()
    if switches:
        serve = import_module("mujina.testing.serving").serve_with
        return serve(stop_with_stdin=len(switches) == len(SWITCHES), **flags)
    return import_module("mujina.cli.commands.server_processes").serve_with(**flags)


def plain_flags(arguments: Sequence[str]) -> dict[str, str] | None:
    """The flags of `mujina serve` by name, each given once as `--name value`; None for any other command line."""
    names, values = arguments[1::2], arguments[2::2]
    if arguments[:1] != ["serve"] or len(names) != len(values) or len({*names}) != len(names):
        return None
    if not PLAIN_FLAGS.issuperset(names) or any(not value or value.startswith("-") for value in values):
        return None
    return {name.removeprefix("--").replace("-", "_"): value for name, value in zip(names, values, strict=True)}
