"""`mujina`, with every secret it makes written to the file named first: how running servers are started in tests."""

import json
import os
import sys
from pathlib import Path

from mujina.cli.main import main
from tests.harness.quick_disks import FLUSHES, skip_flushes
from tests.harness.watching import overhear_secrets


def note_in(path: Path) -> None:
    """Write every secret that this process makes from now on to the file."""
    out = path.open("a", encoding="utf-8")

    def catch(secret: str, kind: str) -> None:
        out.write(json.dumps([secret, kind]) + "\n")
        out.flush()

    overhear_secrets(catch)


if __name__ == "__main__":
    if FLUSHES not in os.environ:
        skip_flushes()
    note_in(Path(sys.argv.pop(1)))
    sys.exit(main())
