"""An upgrade that kills itself at a point.

python -m tests.migrations.killed_upgrade DATABASE REVISIONS POINT
"""

import asyncio
import os
import signal
import sys
from pathlib import Path

from mujina.migrations import revisions, snapshot, upgrade


def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)


def upgrade_until(url, point):
    """`point`: `statement 0`, `all statements`, or `copying`, `copied` or `kept` for the copy of a SQLite database."""

    def statements(revision, engine):
        for number, statement in enumerate(revisions.statements(revision, engine)):
            if point == f"statement {number}":
                die()
            yield statement
        if point == "all statements":
            die()

    def at_rename(event, _):
        if event == "os.rename":
            die()

    if point == "copying":
        snapshot.PAGES_AT_ONCE = 7
        count = iter(range(10))

        def at_step(_frame, _event, function):
            if getattr(function, "__name__", "") == "step" and next(count) == 5:
                die()

        sys.setprofile(at_step)
    if point == "copied":
        sys.addaudithook(at_rename)
    if point == "kept":
        snapshot.fsync_path = die
    upgrade.statements = statements
    asyncio.run(upgrade.migrate(url))


if __name__ == "__main__":
    address, folder, moment = sys.argv[1:]
    revisions.VERSIONS = Path(folder)
    upgrade_until(address, moment)
