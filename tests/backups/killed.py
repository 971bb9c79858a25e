"""Runs a command again and again, and kills it at a later moment each time, until it comes to its end.

    python -m tests.backups.killed POINTS COMMAND…

A moment is an operation on files. The number of times that it was killed is printed.
"""

import os
import signal
import sys

from mujina.cli.commands import restore  # so that each run is a fork that has imported everything
from mujina.cli.main import main

EVENTS = frozenset({"open", "os.rename", "os.mkdir", "os.remove", "os.utime", "os.chmod", "os.listdir", "os.scandir"})
assert restore


def run(arguments: list[str], moment: int) -> bool:
    """Whether the command came to its end before that many operations."""
    child = os.fork()
    if child:
        _, status = os.waitpid(child, 0)
        if os.WIFEXITED(status) and os.WEXITSTATUS(status):
            raise SystemExit(os.WEXITSTATUS(status))
        return os.WIFEXITED(status)
    count = 0

    def kill_at_moment(event: str, _: object) -> None:
        nonlocal count
        if event not in EVENTS:
            return
        count += 1
        if count == moment:
            os.kill(os.getpid(), signal.SIGKILL)

    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    sys.argv = ["mujina", *arguments]
    sys.addaudithook(kill_at_moment)
    os._exit(main())


if __name__ == "__main__":
    points, arguments = int(sys.argv[1]), sys.argv[2:]
    kills, moment = 0, 2
    while not run(arguments, moment):
        kills += 1
        moment += max(1, moment // points)
    print(kills)  # noqa: T201 - its result
