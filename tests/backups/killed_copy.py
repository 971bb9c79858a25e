"""A copy of a database that kills itself at a point.

python -m tests.backups.killed_copy FROM TO POINT
"""

import os
import signal
import sys

from mujina.backups import copying, filling


def die(*_: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def copy_until(source: str, target: str, point: str) -> None:
    """`point`: a step of the progress, such as `copy 60` or `verify last`, or `indexes`, or `rename`."""

    def progress(name: str, done: int, total: int) -> None:
        if point == f"{name} {done}" or (point == f"{name} last" and done == total):
            die()

    def at_rename(event: str, _: object) -> None:
        if event == "os.rename":
            die()

    if point == "rename":
        sys.addaudithook(at_rename)
    if point == "indexes":
        filling._rebuild_indexes = die
    copying.copy_database(source, target, progress)


if __name__ == "__main__":
    copy_until(*sys.argv[1:])
