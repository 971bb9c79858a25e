"""Work that can wait gives way: processor and memory go first to whoever asks the API."""

import os
import resource
from contextlib import suppress
from pathlib import Path
from typing import Final

MOST_MEMORY: Final = max(1 << 30, os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2)
"""Bytes one program that we start may take: half of the machine."""

_STEPS = 10
"""How much it gives way; with nobody in front of it it runs as fast as ever, and it always gets a tenth."""


def give_way(task: int) -> None:
    """From now on this process or thread, by its number, and what it starts run behind others."""
    with suppress(OSError, AttributeError):  # it has ended, or the system has no such thing
        os.setpriority(os.PRIO_PROCESS, task, os.getpriority(os.PRIO_PROCESS, 0) + _STEPS)


def confine(task: int, largest_file: int | None = None) -> None:
    """This process, and what it starts, takes no more memory than is its share, and is the first to go if there is none.

    A pack of a few kilobytes may stand for a file of many gigabytes. Nor does it write a larger file than is said.
    """
    with suppress(OSError, AttributeError):
        resource.prlimit(task, resource.RLIMIT_DATA, (MOST_MEMORY, MOST_MEMORY))
        if largest_file is not None:
            resource.prlimit(task, resource.RLIMIT_FSIZE, (largest_file, largest_file))
            resource.prlimit(task, resource.RLIMIT_CORE, (0, 0))  # or it would leave one
        Path(f"/proc/{task}/oom_score_adj").write_text("1000")
